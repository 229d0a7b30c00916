// Judges candidates: extract -> legality -> compile -> load -> correctness -> sanitize, stopping at
// the first gate that a candidate fails.
//
// The reference and the candidate run in two sandboxed workers that share nothing; tensors cross in
// shared memory, and what they are worth is decided here.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "corpora/records/verdict.h"
#include "stages/verify/judge/judge_options.h"

namespace kernelmill {

class Judge {
 public:
  // Starts both workers. Not thread-safe: one judge a thread.
  static Result<Judge> Start(JudgeOptions options);
  ~Judge();
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;

  // `reference`: Python in the KernelBench convention. `code`: the candidate's Python; nothing
  // where an answer holds none (FindCandidateCode()). What was worked out for a reference is kept
  // until another one comes. A Status is our own trouble; a verdict on it would be "infra".
  Result<Verdict> Verify(const std::string& reference, const std::optional<std::string>& code);

 private:
  struct State;
  explicit Judge(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
