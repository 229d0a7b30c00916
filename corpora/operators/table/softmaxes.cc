// Rows of the softmax family, which normalize along one dimension.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

bool SoftmaxInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  return WrapDimension(use.integer(0), use.shape(0).rank(), &dim) &&
         InferSame<kFloats>(use, results);
}

double SizeAlong(const OperatorUse& use) {
  int dim = 0;
  const Shape& shape = use.shape(0);
  if (shape.rank() == 0 || !WrapDimension(use.integer(0), shape.rank(), &dim)) return 1;
  return std::fmax(1, double(shape[dim]));
}

bool SoftmaxRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  // For n normal numbers of deviation s, the root mean square of softmax is about e^(s²/2) / n, and
  // at most 1.
  const double scale = operands[0].scale;
  results->push_back(
      {0, 1, std::fmin(1, std::exp(std::fmin(scale * scale / 2, 50)) / SizeAlong(use))});
  return true;
}

bool LogSoftmaxRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  const double size = std::log(SizeAlong(use));
  return AddRange(use.operand(0).dtype,
                  {range.low - range.high - size, 0, std::hypot(size + 0.5, range.scale)}, results);
}

}  // namespace

void AddSoftmaxes(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "softmax",
       .family = OperatorFamily::kSoftmax,
       .operands = {{"input"}},
       .attributes = {Dimension()},
       .infer = SoftmaxInfer,
       .range = SoftmaxRange,
       .cost = CostPerInput<5>,
       .spellings = {"torch.nn.functional.softmax", "torch.softmax", "torch.Tensor.softmax",
                     "torch.nn.Softmax"},
       .weight = 26,
       .words = {.formula = "y[k] = exp(x[k] - m) / sum_j exp(x[j] - m), m = max_j x[j]"},
       .traits = {.shifts_exponentials = true},
       .cpp = {.refused = {"softmax"}}});
  rows->push_back(
      {.name = "log_softmax",
       .family = OperatorFamily::kSoftmax,
       .operands = {{"input"}},
       .attributes = {Dimension()},
       .infer = SoftmaxInfer,
       .range = LogSoftmaxRange,
       .cost = CostPerInput<5>,
       .spellings = {"torch.nn.functional.log_softmax", "torch.log_softmax",
                     "torch.Tensor.log_softmax", "torch.nn.LogSoftmax"},
       .weight = 2,
       .words = {.formula = "y[k] = x[k] - m - log(sum_j exp(x[j] - m)), m = max_j x[j]"},
       .traits = {.shifts_exponentials = true},
       .cpp = {.refused = {"log_softmax"}}});
  rows->push_back(
      {.name = "softmin",
       .family = OperatorFamily::kSoftmax,
       .operands = {{"input"}},
       .attributes = {Dimension()},
       .infer = SoftmaxInfer,
       .range = SoftmaxRange,
       .cost = CostPerInput<6>,
       .spellings = {"torch.nn.functional.softmin", "torch.nn.Softmin"},
       .weight = 0.5,
       .words = {.formula = "y[k] = exp(m - x[k]) / sum_j exp(m - x[j]), m = min_j x[j]"}});
}

}  // namespace kernelmill
