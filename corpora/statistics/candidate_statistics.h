// What the candidates of a dataset show, counted: the answers that stand for their tasks, and the
// ones with a bug put into them. Memory grows with the number of tasks that have an answer.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "corpora/records/candidate.h"
#include "corpora/records/check.h"
#include "corpora/statistics/distribution.h"

namespace kernelmill {

// Right answers for one backend. Of how many of them is known what.
struct AnswerStatistics {
  std::int64_t answers = 0;
  std::int64_t memory_checked = 0, races_checked = 0;
  std::int64_t device_compiled = 0;  // All their kernels, by a compiler for a device.
  std::int64_t other_sizes = 0;      // Right at sizes other than the task's, too.
  std::int64_t counted = 0;          // Accesses of their launches.
  std::int64_t not_taught = 0;       // Too slow for it (Candidate::IsTaught).
  Counts policies, verified_on, full_size;
  Counts strategies;                                   // Of their kernels.
  std::map<Digest, std::set<std::string>> structures;  // By task.
  Distribution trials;                                 // Of an answer.
  Distribution speeds;                                 // Estimated, in percent of eager's.

  // Answers of different structure that tasks with an answer have.
  Distribution Ways() const;
};

// Checks, and the candidates that they were tried on.
struct CheckStatistics {
  std::int64_t checks = 0;
  std::int64_t passed = 0;             // Right answers.
  std::int64_t caught = 0, missed = 0;  // Mutants.
  Counts forms, aspects;

  void Add(const Check& check);
};

struct CandidateStatistics {
  Counts statuses;                                  // By backend and status: "cuda correct".
  std::map<std::string, AnswerStatistics> answers;  // By backend.
  std::map<std::string, Counts> bugs;               // By class, then the status that showed it.

  void Add(const Candidate& candidate);
  bool empty() const { return statuses.empty(); }
};

}  // namespace kernelmill
