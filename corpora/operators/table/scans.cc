// Rows of scans, in which each element depends on those before it, and of arg-reductions.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/reduction_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kScan;

bool ArgInfer(const OperatorUse& use, Types* results) {
  return use.operand(0).dtype != DType::kBool && CountReduced(use, 0) > 0 &&
         InferReduced(use, 0, DType::kInt64, results);
}

bool ArgRange(const OperatorUse& use, std::span<const Range>, Ranges* results) {
  results->push_back(
      Range::Uniform(0, double(std::max<std::int64_t>(1, CountReduced(use, 0)) - 1)));
  return true;
}

double SizeAlong(const OperatorUse& use) {
  int dim = 0;
  const Shape& shape = use.shape(0);
  if (shape.rank() == 0 || !WrapDimension(use.integer(0), shape.rank(), &dim)) return 1;
  return std::fmax(1, double(shape[dim]));
}

bool CumsumInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  const DType dtype = use.operand(0).dtype;
  if (!WrapDimension(use.integer(0), use.shape(0).rank(), &dim)) return false;
  results->push_back({IsFloating(dtype) ? dtype : DType::kInt64, use.shape(0)});
  return true;
}

bool CumsumRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  // The first results are elements of the input, and the last is the sum of all.
  const Range sum = SumOf(operands[0], std::int64_t(SizeAlong(use)));
  const DType dtype = use.operand(0).dtype;
  return AddRange(IsFloating(dtype) ? dtype : DType::kInt64,
                  {std::fmin(operands[0].low, sum.low), std::fmax(operands[0].high, sum.high),
                   0.65 * sum.scale + 0.3 * operands[0].scale},
                  results);
}

bool CumprodRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  const double size = SizeAlong(use);
  const double most = std::fmax(std::fabs(range.low), std::fabs(range.high));
  const double far = std::fmax(most, std::pow(most, size));
  const DType dtype = use.operand(0).dtype;
  return AddRange(IsFloating(dtype) ? dtype : DType::kInt64,
                  {range.low < 0 ? -far : 0, far,
                   range.scale > 1 ? std::pow(range.scale, size) / std::sqrt(size) : range.scale},
                  results);
}

bool CumprodInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  if (IsFloating((*inputs)[0].type.dtype)) NarrowRange(0.5, 1.25, &(*inputs)[0]);
  return true;
}

bool CummaxInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  if (!WrapDimension(use.integer(0), use.shape(0).rank(), &dim)) return false;
  results->push_back(use.operand(0));
  results->push_back({DType::kInt64, use.shape(0)});
  return true;
}

bool CummaxRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  results->push_back(operands[0]);
  results->push_back(Range::Uniform(0, SizeAlong(use) - 1));
  return true;
}

bool LogcumsumexpInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  return WrapDimension(use.integer(0), use.shape(0).rank(), &dim) &&
         InferSame<kFloats>(use, results);
}

bool LogcumsumexpRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& range = operands[0];
  const double more = std::log(SizeAlong(use));
  return AddRange(use.operand(0).dtype,
                  {range.low, range.high + more, std::hypot(0.7 * more, range.scale)}, results);
}

bool DiffInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int dim = 0;
  if (type.shape.rank() == 0 || !WrapDimension(use.integer(0), type.shape.rank(), &dim))
    return false;
  type.shape[dim] = std::max<std::int64_t>(0, type.shape[dim] - 1);
  results->push_back(type);
  return true;
}

bool DiffRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return AddRange(use.operand(0).dtype, PlusOf(operands[0], Scaled(operands[0], -1)), results);
}

}  // namespace

void AddScans(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "argmax",
                   .family = OperatorFamily::kArgReduction,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kInteger), FlagOf("keepdim")},
                   .infer = ArgInfer,
                   .propose = ProposeDimOrAll,
                   .range = ArgRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.argmax", "torch.Tensor.argmax"},
                   .weight = 1.5,
                   .words = {.formula = "y = k with x[k] = max_j x[j]"}});
  rows->push_back({.name = "argmin",
                   .family = OperatorFamily::kArgReduction,
                   .operands = {{"input"}},
                   .attributes = {Proposed("dim", Attribute::Kind::kInteger), FlagOf("keepdim")},
                   .infer = ArgInfer,
                   .propose = ProposeDimOrAll,
                   .range = ArgRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.argmin", "torch.Tensor.argmin"},
                   .weight = 1.5,
                   .words = {.formula = "y = k with x[k] = min_j x[j]"}});
  rows->push_back({.name = "cumsum",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension()},
                   .infer = CumsumInfer,
                   .range = CumsumRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.cumsum", "torch.Tensor.cumsum"},
                   .weight = 7,
                   .sampler = {.follower = 1.5},
                   .words = {.formula = "y[k] = y[k - 1] + x[k]"},
                   .cpp = {.refused = {"cumsum"}}});
  rows->push_back({.name = "cumprod",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension()},
                   .infer = CumsumInfer,
                   .inputs = CumprodInputs,
                   .range = CumprodRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.cumprod", "torch.Tensor.cumprod"},
                   .weight = 1.5,
                   .words = {.formula = "y[k] = y[k - 1] * x[k]"},
                   .cpp = {.refused = {"cumprod"}}});
  rows->push_back({.name = "cummax",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension()},
                   .infer = CummaxInfer,
                   .range = CummaxRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.cummax", "torch.Tensor.cummax"},
                   .weight = 0.7,
                   .words = {.formula = "y[k] = max(y[k - 1], x[k])"}});
  rows->push_back({.name = "cummin",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension()},
                   .infer = CummaxInfer,
                   .range = CummaxRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.cummin", "torch.Tensor.cummin"},
                   .weight = 0.5,
                   .words = {.formula = "y[k] = min(y[k - 1], x[k])"}});
  rows->push_back({.name = "logcumsumexp",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension()},
                   .infer = LogcumsumexpInfer,
                   .range = LogcumsumexpRange,
                   .cost = CostPerInput<3>,
                   .spellings = {"torch.logcumsumexp", "torch.Tensor.logcumsumexp"},
                   .weight = 0.6});
  rows->push_back({.name = "diff",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension("dim", Attribute::Integer(-1))},
                   .infer = DiffInfer,
                   .range = DiffRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.diff", "torch.Tensor.diff"},
                   .weight = 0.4,
                   .words = {.like_family = false}});
}

}  // namespace kernelmill
