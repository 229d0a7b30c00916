// Statistics of a dataset's candidates and checks: right answers, answers with a bug put into them,
// and checks. Counted by DatasetStatistics (dataset_statistics.h) while a dataset is published, and
// shown on its card and report. Memory grows with the number of tasks that have an answer.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "corpora/records/candidate.h"
#include "corpora/records/check.h"
#include "corpora/statistics/distribution.h"

namespace kernelmill {

// The right answers for one backend. Integers count answers with a property.
struct AnswerStatistics {
  std::int64_t answers = 0;
  std::int64_t memory_checked = 0, races_checked = 0;
  std::int64_t device_compiled = 0;  // A device compiler compiled all their kernels.
  std::int64_t other_sizes = 0;      // Right at other sizes than the task's, too.
  std::int64_t counted = 0;          // The accesses of their launches were counted.
  std::int64_t not_taught = 0;       // Too slow to be trained (Candidate::IsTaught).
  Counts policies, verified_on, full_size;
  Counts strategies;                                   // Of their kernels.
  std::map<Digest, std::set<std::string>> structures;  // By task.
  Distribution trials;                                 // The number of trials per answer.
  Distribution speeds;  // The estimated speed, in percent of eager's.

  // The number of answers of different structure per task that has an answer.
  Distribution StructuresPerTask() const;
};

// The checks, and the candidates that they were tried on.
struct CheckStatistics {
  std::int64_t checks = 0;
  std::int64_t passed = 0;              // Right answers that checks accepted.
  std::int64_t caught = 0, missed = 0;  // Mutants that checks rejected and accepted.
  Counts forms, aspects;

  void Add(const Check& check);
};

struct CandidateStatistics {
  Counts statuses;  // By backend and status, for example "cuda correct".
  std::map<std::string, AnswerStatistics> answers;  // By backend.
  std::map<std::string, Counts> bugs;  // By bug class, then by the status of the mutant's verdict.

  void Add(const Candidate& candidate);
  bool empty() const { return statuses.empty(); }
};

}  // namespace kernelmill
