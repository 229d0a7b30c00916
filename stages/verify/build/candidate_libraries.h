// Builds the native libraries that one candidate asks for: searches their sources for what is
// forbidden, compiles them for the CPU, has NVIDIA's compiler check their kernels, and compares
// what the libraries import with what they may. The examination of the candidate
// (stages/verify/gates/examination.h) owns it and calls Build() for each extension that a run asks
// for (Examination::RunAndBuild()); the gate "compile" ends a candidate here, and so does
// "legality".
//
// Not thread-safe: one for each candidate.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "stages/verify/build/occupancy.h"
#include "stages/verify/candidate/candidate_run.h"
#include "stages/verify/judge/judge_options.h"

namespace kernelmill {

class CandidateLibraries {
 public:
  // `options` outlives it.
  explicit CandidateLibraries(const JudgeOptions& options) : options_(options) {}

  // Builds one extension that the candidate asks for by `hash`. `python`: the candidate's own text.
  // Returns the fault if it ends the candidate.
  Result<std::optional<CandidateFault>> Build(const std::string& hash,
                                              const ExtensionSources& sources,
                                              std::string_view python);
  // By hash: the libraries that were built, and those that failed to build if the policy lets a
  // candidate continue without them.
  const std::map<std::string, LoadedLibrary>& libraries() const { return libraries_; }
  const VerdictDevice& device() const { return device_; }
  // The fault of the first trial with a launch that the device refuses for its machine code.
  std::optional<CandidateFault> RefusedLaunch(const std::vector<CandidateTrial>& trials) const;
  // The fault of the first extension that does not build.
  std::optional<CandidateFault> failure() const;

  bool built_any() const { return !sources_.empty(); }
  // Builds the same libraries with instrumentation; returns nothing if one of them does not build or
  // imports what it must not.
  Result<std::optional<std::map<std::string, LoadedLibrary>>> BuildWith(
      const InstrumentedBuild& build) const;

 private:
  std::optional<CandidateFault> RefuseText(const ExtensionSources& sources) const;
  // A compiler for devices refuses some code that clang accepts for the CPU.
  Result<std::optional<CandidateFault>> CompileOnDevice(const ExtensionSources& sources);

  const JudgeOptions& options_;
  std::map<std::string, ExtensionSources> sources_;  // The sources of the libraries that were
                                                     // built, by hash.
  std::map<std::string, LoadedLibrary> libraries_;
  std::optional<BuiltExtension> failure_;
  VerdictDevice device_;
  std::map<std::size_t, std::int64_t> bounds_;  // As RefusalOfLaunch() takes them.
};

}  // namespace kernelmill
