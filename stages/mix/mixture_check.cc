#include "stages/mix/mixture_check.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace kernelmill {
namespace {

constexpr double kMostParts = 1e5;  // Weights have six digits, so they tell no more parts apart.

}  // namespace

Status MixtureCheck::Add(const Record& record, const Row& row) {
  if (!near_equal_) {
    std::error_code error;
    const std::string folder = std::filesystem::temp_directory_path(error).string();
    if (error) return Status(ErrorCode::kIo, "there is no folder for temporary files; set TMPDIR");
    KM_ASSIGN(near_equal_, NearEqualRows::Create(folder));
  }
  KM_RETURN_IF_ERROR(near_equal_->Add(row.content_id, row.training));
  rows_.push_back({.content_id = row.content_id,
                   .near_equal_to = row.attributes.near_equal_to,
                   .row = mixer_.Describe(record, row.training),
                   .weight = row.attributes.weight,
                   .tokens = row.attributes.answer_tokens,
                   .trained = row.attributes.split != "validation"});
  return Status::Ok();
}

Result<Mixture> MixtureCheck::Finish(const Mixture& published, const MixOptions& options,
                                     const Report& report) {
  NearEqualTwins twins;
  if (near_equal_) {
    KM_ASSIGN(twins, near_equal_->Find(options.near_equal));
  }
  MixtureSolver solver;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Weighed& weighed = rows_[i];
    MixedRow row = weighed.row;
    row.elementwise = mixer_.IsElementwiseTask(row.task_id);
    const auto twin = twins.find(weighed.content_id);
    const std::string expected = twin == twins.end() ? "" : twin->second.Hex();
    if (weighed.near_equal_to != expected) {
      report(i, "its near_equal_to is '" + weighed.near_equal_to +
                    "', but the programs of its task make '" + expected + "'");
    }
    if (!expected.empty()) {
      if (weighed.weight != 0) {
        report(i, "its weight is " + Json(weighed.weight).Dump() +
                      ", but it is above the limit of near-equal programs and must weigh 0");
      }
      continue;
    }
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
