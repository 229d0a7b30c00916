// Rows of conversions to another dtype.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kCast;

constexpr std::string_view kDTypes[] = {
    "torch.float32", "torch.float16", "torch.bfloat16", "torch.float64", "torch.int64",
    "torch.int32",   "torch.int16",   "torch.int8",     "torch.uint8",   "torch.bool"};

DType Target(const OperatorUse& use) {
  DType dtype = DType::kFloat32;
  FindDType(kDTypes[use.attribute(0).choice()].substr(6), &dtype);
  return dtype;
}

bool CastInfer(DType dtype, const OperatorUse& use, Types* results) {
  results->push_back({dtype, use.shape(0)});
  return true;
}

bool CastRange(DType dtype, const OperatorUse& use, std::span<const Range> operands,
               Ranges* results) {
  Range range = operands[0];
  if (dtype == DType::kBool) return RangeOfBool(use, operands, results);
  if (!IsFloating(dtype) && IsFloating(use.operand(0).dtype)) {
    // Conversion truncates; the result for a value out of range is undefined.
    range.low = std::trunc(range.low);
    range.high = std::trunc(range.high);
    const double most = std::exp2(double(8 * BytesOf(dtype) - (dtype == DType::kUInt8 ? 0 : 1)));
    if (range.high >= most || range.low < (dtype == DType::kUInt8 ? 0 : -most)) return false;
  }
  return AddRange(dtype, range, results);
}

bool ToInfer(const OperatorUse& use, Types* results) {
  return CastInfer(Target(use), use, results);
}
bool ToRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return CastRange(Target(use), use, operands, results);
}
template <DType dtype>
bool InferOf(const OperatorUse& use, Types* results) {
  return CastInfer(dtype, use, results);
}
template <DType dtype>
bool RangeOf(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return CastRange(dtype, use, operands, results);
}

bool TypeAsInfer(const OperatorUse& use, Types* results) {
  return CastInfer(use.operand(1).dtype, use, results);
}
bool TypeAsRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return CastRange(use.operand(1).dtype, use, operands, results);
}
bool TypeAsInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const DType dtype = draw->Chance(0.5) ? DType::kFloat32 : DType::kFloat16;
  inputs->push_back({{dtype, (*inputs)[0].type.shape}, UsualRange(dtype)});
  return true;
}

}  // namespace

void AddCasts(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "to",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {ChoiceOf("dtype", kDTypes, {})},
                   .infer = ToInfer,
                   .range = ToRange,
                   .cost = CostPerElement<0>,
                   .scalar = "$0",
                   .spellings = {"torch.Tensor.to"},
                   .weight = 5});
  rows->push_back({.name = "float",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferOf<DType::kFloat32>,
                   .range = RangeOf<DType::kFloat32>,
                   .cost = CostPerElement<0>,
                   .scalar = "$0",
                   .spellings = {"torch.Tensor.float"},
                   .weight = 4});
  rows->push_back({.name = "half",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferOf<DType::kFloat16>,
                   .range = RangeOf<DType::kFloat16>,
                   .cost = CostPerElement<0>,
                   .scalar = "$0",
                   .spellings = {"torch.Tensor.half"},
                   .weight = 1});
  rows->push_back({.name = "bfloat16",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferOf<DType::kBFloat16>,
                   .range = RangeOf<DType::kBFloat16>,
                   .cost = CostPerElement<0>,
                   .scalar = "$0",
                   .spellings = {"torch.Tensor.bfloat16"},
                   .weight = 1});
  rows->push_back({.name = "double",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferOf<DType::kFloat64>,
                   .range = RangeOf<DType::kFloat64>,
                   .cost = CostPerElement<0>,
                   .scalar = "$0",
                   .spellings = {"torch.Tensor.double"},
                   .weight = 0.3});
  rows->push_back({.name = "int",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferOf<DType::kInt32>,
                   .range = RangeOf<DType::kInt32>,
                   .cost = CostPerElement<0>,
                   .scalar = "$0",
                   .spellings = {"torch.Tensor.int"},
                   .weight = 1,
                   .question = ResultQuestion::kTruncated});
  rows->push_back({.name = "long",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferOf<DType::kInt64>,
                   .range = RangeOf<DType::kInt64>,
                   .cost = CostPerElement<0>,
                   .scalar = "$0",
                   .spellings = {"torch.Tensor.long"},
                   .weight = 2,
                   .question = ResultQuestion::kTruncated});
  rows->push_back({.name = "bool",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = InferOf<DType::kBool>,
                   .range = RangeOf<DType::kBool>,
                   .cost = CostPerElement<0>,
                   .scalar = "$0",
                   .spellings = {"torch.Tensor.bool"},
                   .weight = 1,
                   .question = ResultQuestion::kZeroOrEqual});
  rows->push_back({.name = "type_as",
                   .family = kFamily,
                   .operands = {{"input"}, {"other"}},
                   .infer = TypeAsInfer,
                   .inputs = TypeAsInputs,
                   .range = TypeAsRange,
                   .cost = CostPerElement<0>,
                   .scalar = "$0",
                   .spellings = {"torch.Tensor.type_as"},
                   .weight = 0.3});
}

}  // namespace kernelmill
