#include "generators/graphs/operator_choice.h"

#include <algorithm>
#include <cmath>

#include "corpora/operators/operator_table.h"

namespace kernelmill {
namespace {

// The factor by which each family's rows are drawn more often as followers.
double FollowerShare(OperatorFamily family) {
  switch (family) {
    case OperatorFamily::kActivation:
      return 0.5;  // Blocks and models have many of them already.
    case OperatorFamily::kElementwise:
    case OperatorFamily::kNorm:
      return 1;
    case OperatorFamily::kSoftmax:
      return 1.5;
    case OperatorFamily::kReduction:
    case OperatorFamily::kScan:
      return 2;
    case OperatorFamily::kSelection:
    case OperatorFamily::kPooling:
      return 4;
    case OperatorFamily::kMatmul:
    case OperatorFamily::kConvolution:
    case OperatorFamily::kTransposedConvolution:
      return 0.15;
    case OperatorFamily::kLoss:
    case OperatorFamily::kCreation:
    case OperatorFamily::kCast:
      return 0.05;
    case OperatorFamily::kShape:
    case OperatorFamily::kLayout:
      return 0.5;
    default:
      return 0.6;
  }
}

double AnchorShare(OperatorFamily family) {
  switch (family) {
    case OperatorFamily::kMatmul:
      return 0.5;
    case OperatorFamily::kConvolution:
    case OperatorFamily::kTransposedConvolution:
      return 0.7;
    case OperatorFamily::kAttention:
    case OperatorFamily::kRecurrent:
      return 0.2;
    case OperatorFamily::kEmbedding:
      return 0.5;
    default:
      return 0.03;
  }
}

// The factor for tasks of a single operator, which are products or convolutions more often than
// operators in general are.
double SingleShare(OperatorFamily family) {
  switch (family) {
    case OperatorFamily::kMatmul:
    case OperatorFamily::kConvolution:
    case OperatorFamily::kTransposedConvolution:
      return 3;
    default:
      return 1;
  }
}

}  // namespace

OperatorChoice::OperatorChoice() {
  for (const OperatorRow& row : Operators()) {
    if (!row.sampler.never_drawn.empty()) continue;
    Add(row, 0.5 + 0.6 * std::pow(row.weight, 0.8) * SingleShare(row.family), &singles_);
    if (row.operands.empty()) continue;  // These go on from nothing.
    Add(row, row.weight * AnchorShare(row.family) * row.sampler.first, &anchors_);
    Add(row, row.weight * FollowerShare(row.family) * row.sampler.follower, &followers_);
  }
}

void OperatorChoice::Add(const OperatorRow& row, double weight, Weighted* weighted) {
  if (weight <= 0) return;
  weighted->rows.push_back(&row);
  weighted->up_to.push_back(weight + (weighted->up_to.empty() ? 0 : weighted->up_to.back()));
}

const OperatorRow& OperatorChoice::Pick(const Weighted& weighted, Draw* draw) {
  const double at = draw->Number() * weighted.up_to.back();
  const auto found = std::upper_bound(weighted.up_to.begin(), weighted.up_to.end(), at);
  const auto index =
      std::min<std::size_t>(found - weighted.up_to.begin(), weighted.rows.size() - 1);
  return *weighted.rows[index];
}

}  // namespace kernelmill
