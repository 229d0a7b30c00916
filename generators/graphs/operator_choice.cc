#include "generators/graphs/operator_choice.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

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

struct RowShare {
  std::string_view name;
  double share;
};

// Beside what their family has. Rows of three dimensions fit few of the places where they are
// drawn; others are in blocks and models more often than in fused patterns, or less often.
constexpr RowShare kAnchors[] = {
    {"linear", 0.9}, {"conv1d", 0.6}, {"conv2d", 0.55}, {"conv3d", 1.3}, {"conv_transpose3d", 1.6},
};
constexpr RowShare kFollowers[] = {
    {"sub", 2}, {"sub_scalar", 2}, {"exp", 2.6}, {"pow_scalar", 1.5}, {"minimum", 5},
    {"min_dim", 1.5}, {"max_dim", 1.5}, {"logsumexp", 1.5}, {"cumsum", 1.5}, {"tanh", 1.5},
    {"sigmoid", 1.5}, {"leaky_relu", 1.5}, {"mish", 1.5}, {"hardtanh", 1.8}, {"silu", 0.5},
    {"clamp_min", 0.5}, {"where", 3}, {"masked_fill", 0.6}, {"avg_pool2d", 1.5},
    {"avg_pool3d", 3.2}, {"max_pool3d", 2.8}, {"adaptive_avg_pool2d", 1.3},
    {"adaptive_avg_pool3d", 2}, {"einsum", 3}, {"gather", 18}, {"split", 3}, {"narrow", 4},
    {"select", 2}, {"view", 1.6}, {"flatten", 1.5}, {"unsqueeze", 1.8}, {"expand", 2},
};

double Of(std::span<const RowShare> rows, std::string_view name) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const RowShare& one) { return one.name == name; });
  return row == rows.end() ? 1 : row->share;
}

}  // namespace

OperatorChoice::OperatorChoice() {
  for (const OperatorRow& row : Operators()) {
    if (row.name == "dropout") continue;  // What is random cannot be compared.
    // Inputs are finite.
    if (row.name == "isnan" || row.name == "isinf" || row.name == "isfinite") continue;
    Add(row, 0.5 + 0.6 * std::pow(row.weight, 0.8) * SingleShare(row.family), &singles_);
    if (row.operands.empty()) continue;  // These go on from nothing.
    Add(row, row.weight * AnchorShare(row.family) * Of(kAnchors, row.name), &anchors_);
    Add(row, row.weight * FollowerShare(row.family) * Of(kFollowers, row.name), &followers_);
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
