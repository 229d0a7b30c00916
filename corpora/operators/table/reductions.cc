// Reductions: many elements become one.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/reduction_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kReduction;

bool SumInfer(const OperatorUse& use, Types* results) {
  const DType dtype = use.operand(0).dtype;
  return InferReduced(use, 0, IsFloating(dtype) ? dtype : DType::kInt64, results);
}

bool MeanInfer(const OperatorUse& use, Types* results) {
  const DType dtype = use.operand(0).dtype;
  return IsFloating(dtype) && InferReduced(use, 0, dtype, results);
}

bool SumRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const DType dtype = use.operand(0).dtype;
  return AddRange(IsFloating(dtype) ? dtype : DType::kInt64,
                  SumOf(operands[0], CountReduced(use, 0)), results);
}

bool MeanRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const std::int64_t count = CountReduced(use, 0);
  return count > 0 && AddRange(use.operand(0).dtype,
                               Scaled(SumOf(operands[0], count), 1 / double(count)), results);
}

// max(input) and max(input, dim): nothing is the largest of no elements.
bool ExtremeInfer(const OperatorUse& use, Types* results) {
  if (use.shape(0).Elements() == 0) return false;
  results->push_back({use.operand(0).dtype, {}});
  return true;
}

bool ExtremeAlongInfer(const OperatorUse& use, Types* results) {
  if (!InferReduced(use, 0, use.operand(0).dtype, results) || CountReduced(use, 0) == 0) {
    return false;
  }
  results->push_back({DType::kInt64, results->back().shape});
  return true;
}

bool ExtremeAlongRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  results->push_back(operands[0]);
  results->push_back(
      Range::Uniform(0, double(std::max<std::int64_t>(CountReduced(use, 0), 1) - 1)));
  return true;
}

}  // namespace

void AddReductions(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "sum",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimsAndKeep,
                   .infer = SumInfer,
                   .propose = ProposeDims,
                   .range = SumRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.sum", "torch.Tensor.sum"},
                   .weight = 13});
  rows->push_back({.name = "mean",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimsAndKeep,
                   .infer = MeanInfer,
                   .propose = ProposeDims,
                   .range = MeanRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.mean", "torch.Tensor.mean"},
                   .weight = 18});
  rows->push_back({.name = "max",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = ExtremeInfer,
                   .range = RangeOfFirst,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.max", "torch.Tensor.max"},
                   .weight = 2});
  rows->push_back({.name = "max_dim",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = kDimAndKeep,
                   .infer = ExtremeAlongInfer,
                   .range = ExtremeAlongRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.max", "torch.Tensor.max"},
                   .weight = 6});
}

}  // namespace kernelmill
