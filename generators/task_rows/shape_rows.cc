#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/shapes/shape_reasoning.h"
#include "generators/task_rows/row_writers.h"

namespace kernelmill {

void WriteShapeRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  auto training = WriteShapeReasoning(known.id, known.task, known.facts, known.seed);
  if (!training) return;
  const double difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, nullptr),
                                         EstimateTokens(*training).answer);
  rows->push_back({*std::move(training), {known.id, known.annotation}, 1, difficulty});
}

}  // namespace kernelmill
