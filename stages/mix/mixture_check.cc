#include "stages/mix/mixture_check.h"

#include <algorithm>
#include <cmath>

namespace kernelmill {
namespace {

constexpr double kMostParts = 1e5;  // Weights have six digits, so they tell no more parts apart.

}  // namespace

void MixtureCheck::Add(const Record& record, const Row& row) {
  rows_.push_back({.row = mixer_.Describe(record, row.training),
                   .weight = row.attributes.weight,
                   .tokens = row.attributes.answer_tokens,
                   .trained = row.attributes.split != "validation"});
}

Mixture MixtureCheck::Finish(const Mixture& published, const MixOptions& options,
                             const Report& report) const {
  MixtureSolver solver;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Weighed& weighed = rows_[i];
    MixedRow row = weighed.row;
    row.elementwise = mixer_.IsElementwiseTask(row.task_id);
    const double whole = published.WeightOf(row, 1);
    const double parts = whole > 0 && weighed.weight > 0
                             ? std::min(std::max(std::round(whole / weighed.weight), 1.0), kMostParts)
                             : 1;
    if (published.WeightOf(row, 1 / parts) != weighed.weight) {
      report(i, "its weight " + Json(weighed.weight).Dump() +
                                " does not follow from the factors of the mixture, which give it " +
                                Json(published.WeightOf(row, 1 / parts)).Dump());
    }
    if (weighed.trained) solver.Add(row, 1 / parts, weighed.tokens);
  }
  return solver.Solve(options);
}

}  // namespace kernelmill
