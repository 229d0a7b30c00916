// Many candidates at once. Verdicts are appended to a file as they come, so that a run that was
// ended goes on where it was; at the end the file holds one line an item, in the order of the
// items.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "corpora/verdict.h"
#include "stages/verify/judge.h"

namespace kernelmill {

struct VerifyItem {
  std::string key;                  // Unique: "level_2_problem_7_sample_0".
  std::string reference;            // Python in the KernelBench convention.
  std::optional<std::string> code;  // Nothing where the answer holds none.
};

struct VerifySummary {
  std::int64_t judged = 0;
  std::int64_t reused = 0;  // Verdicts that were in the file already.
  // By "status" and "status reason".
  std::map<std::string, std::int64_t> counts;

  Json ToJson() const;
  std::string Text() const;
};

// {"key", "fingerprint", "verdict"} a line. The fingerprint covers the candidate, its task, the
// options and this program: a line with another one is judged again.
struct VerdictLine {
  std::string key;
  std::string fingerprint;
  Json verdict;
};

// `jobs` judges at once, each with two workers. kInterrupted when the run is asked to stop.
Result<VerifySummary> VerifyAll(const JudgeOptions& options, const std::vector<VerifyItem>& items,
                                const std::string& path, int jobs, std::vector<VerdictLine>* lines);

}  // namespace kernelmill
