// What `verify --warm` asks of the judge that stays (warm_judge.h), and what it answers.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/records/verdict.h"
#include "manifests/json.h"
#include "stages/verify/judge/judging_choice.h"

namespace kernelmill {

struct WarmRequest {
  JudgingChoice choice;
  std::string reference;            // Python in the KernelBench convention.
  std::optional<std::string> code;  // Nothing if the answer holds none.
  bool renew = false;               // StoreUse::kRenew.
  std::chrono::minutes stay{0};     // How long the judge waits for the next request.

  // With the secret: both sides are of one user.
  std::string Text() const;
  static Result<WarmRequest> Parse(std::string_view text);
};

// The answer: a verdict, or the Status of a failure of the host.
std::string WarmReplyText(const Result<Verdict>& judged);
Result<Verdict> ParseWarmReply(std::string_view text);

}  // namespace kernelmill
