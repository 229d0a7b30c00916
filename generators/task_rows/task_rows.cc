#include "generators/task_rows/task_rows.h"

#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/task_rows/row_writers.h"

namespace kernelmill {

const std::vector<TaskRows>& AllTaskRows() {
  static const std::vector<TaskRows> kRows = {
      {Family::kShapeReasoning, WriteShapeRows}, {Family::kTranslate, WriteTranslateRows},
      {Family::kReview, WriteReviewRows},        {Family::kRepair, WriteRepairRows},
      {Family::kAnalyze, WriteAnalyzeRows},      {Family::kPort, WritePortRows},
      {Family::kOptimize, WriteOptimizeRows},    {Family::kTest, WriteTestRows},
  };
  return kRows;
}

const std::vector<TaskRows>& AllSampleRows() {
  static const std::vector<TaskRows> kRows = {
      {Family::kTranslate, WriteSampleTranslateRows},
      {Family::kRepair, WriteSampleRepairRows},
  };
  return kRows;
}

std::vector<const Candidate*> CandidatesOf(const KnownTask& known, const WrittenRow& row) {
  std::vector<const Candidate*> candidates;
  for (const Digest& input : row.inputs) {
    for (const KnownCandidate& item : known.candidates) {
      if (item.id == input) candidates.push_back(&item.candidate);
    }
  }
  return candidates;
}

WrittenRow NewRow(const KnownTask& known, const KnownCandidate& item, Family family) {
  WrittenRow row;
  row.training.family = family;
  row.training.backend = item.candidate.backend;
  row.training.task_id = known.id;
  row.training.candidate = item.id.Hex();
  row.training.estimated_speed = item.candidate.estimated_speed;
  row.inputs = {known.id, known.annotation, item.id};
  return row;
}

void FinishRow(const KnownTask& known, const Candidate& candidate, const Prompt& prompt,
               std::string answer, WrittenRow* row) {
  row->training.messages = prompt.Messages();
  row->training.messages.push_back({"assistant", std::move(answer)});
  row->difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, &candidate),
                                 EstimateTokens(row->training).answer);
}

}  // namespace kernelmill
