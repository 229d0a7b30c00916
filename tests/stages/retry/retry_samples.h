// Samples and groups for tests of the retry buffer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stages/retry/retry_group.h"

namespace kernelmill {

// A verdict on an answer that ended at `gate`, after `passed` of four trials.
inline Verdict VerdictAt(VerdictStatus status, const std::string& gate,
                         const std::string& reason = "", int passed = 0) {
  Verdict verdict;
  verdict.status = status;
  verdict.reason = reason;
  verdict.gate = gate;
  verdict.backend = "cuda";
  for (int trial = 0; trial < 4; ++trial) {
    verdict.trials.push_back({"own", "own", "own", trial < passed});
  }
  return verdict;
}

inline Verdict NotBuilt() {
  return VerdictAt(VerdictStatus::kNotBuilt, "compile", "compile_error");
}
inline Verdict Wrong(int passed) {
  return VerdictAt(VerdictStatus::kWrong, "correctness", "values", passed);
}
inline Verdict Correct() { return VerdictAt(VerdictStatus::kCorrect, "passed", "", 4); }
inline Verdict Undecided() {
  return VerdictAt(VerdictStatus::kUndecided, "correctness", "time_limit");
}
inline Verdict Illegal(const std::string& reason) {
  return VerdictAt(VerdictStatus::kIllegal, "legality", reason);
}

// The sample `name`, whose code is its name.
inline RetrySample SampleNamed(const std::string& name, Verdict verdict) {
  return {DigestOf(name), name, std::move(verdict)};
}

inline RetryKey KeyOf(const std::string& task, const std::string& backend = "cuda") {
  return {DigestOf(task), backend};
}

// A group with one sample for each verdict: "task/0", "task/1", …
inline RetryGroup GroupOf(const std::string& task, const std::vector<Verdict>& verdicts,
                          bool retry = false) {
  RetryGroup group{.key = KeyOf(task), .retry = retry};
  for (const Verdict& verdict : verdicts) {
    group.samples.push_back(
        SampleNamed(task + "/" + std::to_string(group.samples.size()), verdict));
  }
  return group;
}

}  // namespace kernelmill
