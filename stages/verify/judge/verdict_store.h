// The verdict store: a cache of verdicts on disk, keyed by a hash of everything that decides a
// verdict. Runs, threads and programs share it, and it may be deleted at any time. Machines without
// a common folder share it through an object store (stages/engine/shared_entries.h).
//
// Verdicts and attempts are separate files: "<key>.json" is the verdict, which does not depend on
// who judged or how often; "<key>.attempts" has one line for each time that judging started or
// ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/engine/entry_store.h"
#include "stages/engine/tool_identity.h"
#include "stages/verify/judge/judge_options.h"

namespace kernelmill {

// The hash of the candidate, its task, every option that can change the verdict, this program with
// its worker and torch, everything that compiles and runs kernels, and the processor's instruction
// set.
std::string VerdictKey(const std::string& reference, const std::optional<std::string>& code,
                       const JudgeOptions& options, const ToolIdentity& tool);

class VerdictStore {
 public:
  static Result<VerdictStore> Open(const std::filesystem::path& folder);
  // .cache/verdicts below the checkout.
  static std::filesystem::path DefaultFolder();

  // The verdict under a key. Nothing if there is none or if its bytes were changed since they were
  // written. An error only if an object store that verdicts are shared through does not answer.
  Result<std::optional<Json>> Find(const std::string& key) const;
  // The same in the folder of this machine alone, at once.
  std::optional<Json> FindHere(const std::string& key) const;
  // Stores a verdict; it is durable when this returns. A verdict "infra" is noted as an attempt,
  // but not stored.
  Status Keep(const std::string& key, const Json& verdict) const;
  // The secret of the machine's judges (judging_secret.h), or of all judges that share verdicts,
  // drawn when it is first asked for.
  Result<std::string> Secret() const;
  // Notes that judging the candidate with this key starts.
  Status Begin(const std::string& key) const;

 private:
  VerdictStore(std::filesystem::path folder, EntryStore entries)
      : folder_(std::move(folder)), entries_(std::move(entries)) {}
  Status Note(const std::string& key, std::string_view line) const;

  std::filesystem::path folder_;
  EntryStore entries_;
};

}  // namespace kernelmill
