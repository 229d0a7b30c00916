// The rows of a dataset that are about one task: tables of the families and the function that
// writes each. The step "render" calls every function for every task (stages/render/renderer.h) and
// outputs the WrittenRows that keep the row rules.
#pragma once

#include <vector>

#include "corpora/records/training_record.h"
#include "generators/known_task/known_task.h"

namespace kernelmill {

// A row, and what the record around it says.
struct WrittenRow {
  TrainingRecord training;
  // The content_ids of the records that the row was made from; the task comes first.
  std::vector<Digest> inputs;
  // 1, divided by the number of rows that ask the same question and differ in the answer.
  double weight = 1;
  double difficulty = 0;  // From 0 to 1 (generators/known_task/difficulty.h).
  // Of a row with the text of a model: where that comes from, beside the task's own origins.
  std::vector<Origin> origins;
  std::vector<LicenceEvidence> licences;
  // RowAttributes::pool_id and cluster_id.
  std::string pool_id, cluster_id;
};

struct TaskRows {
  Family family;
  // Appends the rows of the family about `known` to `rows`.
  void (*write)(const KnownTask& known, std::vector<WrittenRow>* rows);
};
// Every family of rows about tasks. A new family is one more entry in task_rows.cc.
const std::vector<TaskRows>& AllTaskRows();
// Every family of rows about samples of models, for tasks that have some.
const std::vector<TaskRows>& AllSampleRows();

// The candidates of `known` that the row was made from, its answer first. Empty for a row that is
// about the task alone. The pointers point into `known`.
std::vector<const Candidate*> CandidatesOf(const KnownTask& known, const WrittenRow& row);

}  // namespace kernelmill
