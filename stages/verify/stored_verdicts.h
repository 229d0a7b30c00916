// The checkout's store of verdicts in front of judges: what anybody has worked out already is not
// worked out again.
#pragma once

#include <optional>
#include <string>

#include "corpora/records/verdict.h"
#include "stages/engine/tool_identity.h"
#include "stages/verify/judge.h"
#include "stages/verify/verdict_store.h"

namespace kernelmill {

class StoredVerdicts {
 public:
  static Result<StoredVerdicts> Open();

  // `judge`, of `options`, is started when it is needed. A verdict "infra" is a Status.
  Result<Verdict> Verify(const JudgeOptions& options, const std::string& reference,
                         const std::string& code, std::optional<Judge>* judge) const;

 private:
  StoredVerdicts(VerdictStore store, ToolIdentity tool)
      : store_(std::move(store)), tool_(std::move(tool)) {}

  VerdictStore store_;
  ToolIdentity tool_;
};

}  // namespace kernelmill
