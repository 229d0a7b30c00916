// Finds verdicts that the verdict store holds already on this machine, for `serve`, without a lane
// and without waiting for another machine. Thread-safe.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "stages/engine/tool_identity.h"
#include "stages/serve/verify_request.h"
#include "stages/verify/judge/verdict_store.h"

namespace kernelmill {

struct KnownVerdict {
  std::string key;  // VerdictKey().
  Json verdict;
};

class KnownVerdicts {
 public:
  static Result<std::unique_ptr<KnownVerdicts>> Open();

  // Prepares finding verdicts that were judged by this choice. May compile the executor, which
  // takes minutes.
  Status Learn(const JudgingChoice& choice);

  // Nothing also if the choice was not learned.
  std::optional<KnownVerdict> Find(const VerifyRequest& request) const;
  // `key`: 64 lower-case hexadecimal digits.
  std::optional<Json> FindKey(const std::string& key) const { return store_.FindHere(key); }

 private:
  KnownVerdicts(VerdictStore store, ToolIdentity tool)
      : store_(std::move(store)), tool_(std::move(tool)) {}

  // Null if the choice was not learned. What it points to stays.
  const JudgeOptions* Learned(const JudgingChoice& choice) const;

  const VerdictStore store_;
  const ToolIdentity tool_;
  mutable std::mutex mutex_;
  std::list<std::pair<JudgingChoice, JudgeOptions>> learned_;  // There are few choices.
};

}  // namespace kernelmill
