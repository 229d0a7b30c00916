// The gate "compile": the native code of one candidate, from its sources to libraries.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "corpora/records/verdict.h"
#include "stages/verify/candidate_run.h"
#include "stages/verify/judge_options.h"

namespace kernelmill {

class CompileGate {
 public:
  // `options` outlives it.
  explicit CompileGate(const JudgeOptions& options) : options_(options) {}

  // Builds one extension that the candidate asks for by `hash`. Why the candidate ends here, if it
  // does.
  Result<std::optional<CandidateFault>> Build(const std::string& hash,
                                              const ExtensionSources& sources);
  // What was built, and what was not where the policy lets a candidate go on without.
  const std::map<std::string, LoadedLibrary>& libraries() const { return libraries_; }
  const VerdictDevice& device() const { return device_; }
  // Of the first extension that does not build.
  std::optional<CandidateFault> failure() const;

  bool built_any() const { return !sources_.empty(); }
  // The same libraries by another kind of build; nothing where one of them does not build.
  Result<std::optional<std::map<std::string, LoadedLibrary>>> BuildWith(
      const CheckedBuild& check) const;

 private:
  std::optional<CandidateFault> RefuseText(const ExtensionSources& sources) const;
  // What clang takes for the CPU may be nothing that a device has.
  Result<std::optional<CandidateFault>> CheckOnDevice(const ExtensionSources& sources);

  const JudgeOptions& options_;
  std::map<std::string, ExtensionSources> sources_;  // Of what was built, by hash.
  std::map<std::string, LoadedLibrary> libraries_;
  std::optional<BuiltExtension> failure_;
  VerdictDevice device_;
};

}  // namespace kernelmill
