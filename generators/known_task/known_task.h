// KnownTask: everything that the records of a run say about one task: the task, its annotation, its
// candidates (right and wrong answers) with their verdicts, its checks, and models' samples. The
// steps "check" and "render" build it from records; rows, prompts and reasoning about the task are
// written from it, and from nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/check.h"
#include "corpora/records/record.h"
#include "corpora/records/sample.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"
#include "generators/wording/wording.h"

namespace kernelmill {

struct KnownCandidate {
  Digest id;  // The content_id.
  Candidate candidate;
};

struct KnownCheck {
  Digest id;  // The content_id.
  Check check;
};

struct KnownSample {
  Digest id;  // The content_id.
  Sample sample;
  // The pool that it was selected for, its cluster in it, and how many were selected for it. Empty
  // and 0 for a sample that only serves as a mistake to repair.
  std::string pool, cluster;
  std::int64_t pool_size = 0;
  double speedup = 0;  // Over eager PyTorch on a device; 0 when it was not measured.
  // Of its record: that of the task, and the model's.
  std::vector<Origin> origins;
  std::vector<LicenceEvidence> licences;
};

struct KnownTask {
  Digest id;          // The content_id of the task.
  Digest annotation;  // The content_id of its annotation.
  Task task;
  Annotation facts;
  std::vector<KnownCandidate> candidates;  // Sorted by id.
  std::vector<KnownCheck> checks;          // Sorted by id.
  std::vector<KnownSample> samples;        // Sorted by id. Without any, candidates are ours.
  bool validation = false;                 // Whether the task's rows are in the validation split.
  std::int64_t seed = 0;                   // The run's.

  // Reads the annotation, candidates, checks and samples of `task` from `records`, which must all
  // be about `task`, and skips every other record. The caller sets `validation` and `seed`. Returns
  // kInternal when there is no annotation.
  static Result<KnownTask> Of(const Record& task, const std::vector<Record>& records);

  // The wording of the row of `family` about `candidate`; every row has a wording of its own.
  Wording WordingFor(const Digest& candidate, Family family) const;
};

}  // namespace kernelmill
