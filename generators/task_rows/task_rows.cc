#include "corpora/token_estimate.h"
#include "generators/difficulty.h"
#include "generators/task_rows/families.h"

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

WrittenRow RowAbout(const KnownTask& known, const KnownCandidate& item, Family family) {
  WrittenRow row;
  row.training.family = family;
  row.training.backend = item.candidate.backend;
  row.training.task_id = known.id;
  row.training.candidate = item.id.Hex();
  row.training.estimated_speed = item.candidate.estimated_speed;
  row.inputs = {known.id, known.annotation, item.id};
  return row;
}

void Finish(const KnownTask& known, const Candidate& candidate, std::string question,
            std::string answer, WrittenRow* row) {
  row->training.messages = {{"user", std::move(question)}, {"assistant", std::move(answer)}};
  row->difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, &candidate),
                                 EstimateTokens(row->training).answer);
}

}  // namespace kernelmill
