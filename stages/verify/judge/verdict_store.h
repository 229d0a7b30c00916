// Verdicts under the hash of all that decides them, shared by runs. A folder of files, one a
// verdict, each committed whole; it may be deleted at any time.
//
// Outcome and attempts lie apart: "<key>.json" is the verdict, the same whoever worked it out and
// however often it was tried; "<key>.attempts" has a line for each time that somebody began.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/engine/tool_identity.h"
#include "stages/verify/judge/judge_options.h"

namespace kernelmill {

// The hash of the candidate, its task, every option that can change what is said of it, this
// program with its worker and torch, what kernels are compiled and run by, and the instructions
// that the processor has.
std::string VerdictKey(const std::string& reference, const std::optional<std::string>& code,
                       const JudgeOptions& options, const ToolIdentity& tool);

class VerdictStore {
 public:
  static Result<VerdictStore> Open(const std::filesystem::path& folder);
  // .cache/verdicts below the checkout.
  static std::filesystem::path DefaultFolder();

  // What is kept under a key. Nothing where there is none, or where its bytes are not those that
  // were written: that one has to be judged again.
  std::optional<Json> Find(const std::string& key) const;
  // Durable when it returns. A verdict "infra" says nothing, and is only noted.
  Status Keep(const std::string& key, const Json& verdict) const;
  // Notes that somebody begins to judge.
  Status Begin(const std::string& key) const;

 private:
  std::filesystem::path EntryOf(const std::string& key, std::string_view suffix) const;
  Status Note(const std::string& key, std::string_view line) const;

  std::filesystem::path folder_;
};

}  // namespace kernelmill
