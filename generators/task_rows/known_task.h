// All that is known about one task: what its rows are written from.
#pragma once

#include <cstdint>
#include <vector>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/check.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"
#include "generators/wording/wording.h"

namespace kernelmill {

struct KnownCandidate {
  Digest id;  // content_id.
  Candidate candidate;
};

struct KnownCheck {
  Digest id;  // content_id.
  Check check;
};

struct KnownTask {
  Digest id;          // content_id of the task,
  Digest annotation;  // and of its annotation.
  Task task;
  Annotation facts;
  std::vector<KnownCandidate> candidates;  // Sorted by id.
  std::vector<KnownCheck> checks;          // Sorted by id.
  bool validation = false;                 // Which side of the split its rows are on.
  std::int64_t seed = 0;

  // Of the records about a task: itself, its annotation, candidates and checks; others are passed
  // over. kInternal without an annotation.
  static Result<KnownTask> Of(const Record& task, const std::vector<Record>& records);

  // Choices of wording for a row about `candidate`, which differ from those for its other rows.
  Wording WordingFor(const Digest& candidate, Family family) const;
};

// A row with what the record around it says.
struct WrittenRow {
  TrainingRecord training;
  // content_ids of the records that it was made from, the task first.
  std::vector<Digest> inputs;
  // 1, divided among rows that ask for the same and differ in the answer.
  double weight = 1;
  double difficulty = 0;  // generators/difficulty.h
};

// Rows of one family. `rows`: appended to.
struct TaskRows {
  Family family;
  void (*write)(const KnownTask& known, std::vector<WrittenRow>* rows);
};
// Every family that is written about tasks. Closed: add a line in task_rows.cc.
const std::vector<TaskRows>& AllTaskRows();

}  // namespace kernelmill
