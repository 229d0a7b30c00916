// What the command `answer` reports: one AnswerResult per task and backend, and the totals over all
// of them in an AnswerReport. answer_command.cc fills both in and prints them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generators/lowering/estimated_speed.h"
#include "manifests/json.h"

namespace kernelmill {

struct AnswerResult {
  struct Answer {
    std::string structure;                // The strategies, each with the nodes that it computes.
    std::vector<std::string> strategies;  // The strategies of its kernels, in order.
    SpeedEstimate speed;
    std::string status, reason;  // Of the verdict; empty if nothing was verified.
  };
  std::string id, backend;
  int level = 0;  // The level of a drawn task; 0 for others.
  std::vector<std::string> operators;
  std::vector<Answer> answers;
  std::string obstacle;  // Why there is no answer.
  std::string outcome;  // The outcome in a few words, for counting.

  int Correct() const;
  Json ToJson() const;
};

// Not thread-safe.
class AnswerReport {
 public:
  // If `verified` is false, every answer that was written counts.
  explicit AnswerReport(bool verified) : verified_(verified) {}

  void Add(const AnswerResult& result);
  // The outcomes with their counts. If levels are known, also the share of answered tasks by level
  // and by operator, the answers that are not correct, and the kernels by strategy.
  std::string Text() const;
  Json ToJson() const;

 private:
  struct Share {
    std::int64_t tasks = 0, answered = 0, in_two_variants = 0;
  };
  Share Total() const;
  std::string CoverageText() const;
  std::vector<std::string> OperatorsWithout() const;

  bool verified_;
  std::map<std::string, std::int64_t> outcomes_;
  std::map<int, Share> levels_;
  std::map<std::string, bool, std::less<>> operators_;  // Whether a task with it is answered.
  std::map<std::string, std::int64_t> failures_;        // Numbers of answers, by verdict and
                                                        // operators.
  std::map<std::string, std::int64_t> strategies_;      // Numbers of kernels of correct answers, by
                                                        // strategy.
};

}  // namespace kernelmill
