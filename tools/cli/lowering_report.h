// What came of lowering tasks: one result a task, and the shares of all.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "generators/lowering/estimated_speed.h"
#include "manifests/json.h"

namespace kernelmill {

struct LoweringResult {
  struct Answer {
    std::string structure;                // Strategies, each with the nodes that it computes.
    std::vector<std::string> strategies;  // Of its kernels, in their order.
    SpeedEstimate speed;
    std::string status, reason;           // The verdict's; "" where nothing was verified.
  };
  std::string id, backend;
  int level = 0;
  std::vector<std::string> operators;
  std::vector<Answer> answers;
  std::string refusal;  // Why there is no answer.

  int Right() const;
  Json ToJson() const;
};

class LoweringReport {
 public:
  // `verified` false: answers count by being there.
  explicit LoweringReport(bool verified) : verified_(verified) {}

  void Add(const LoweringResult& result);
  std::string Text() const;
  // The same as numbers, with the operators that have no answer.
  Json ToJson() const;

 private:
  struct Share {
    std::int64_t tasks = 0, answered = 0, in_two_ways = 0;
  };
  Share Total() const;
  std::vector<std::string> OperatorsWithout() const;

  bool verified_;
  std::map<int, Share> levels_;
  std::map<std::string, bool, std::less<>> operators_;  // Whether a task with it is answered.
  std::map<std::string, std::int64_t> refusals_;        // Of tasks that were not lowered.
  std::map<std::string, std::int64_t> failures_;        // Of answers, by verdict and operators.
  std::map<std::string, std::int64_t> strategies_;      // Of answers that are right.
};

}  // namespace kernelmill
