// Rows of normalizations.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kNorm;

// Whether the shape ends with the sizes in the attribute.
bool EndsIn(const Shape& shape, const Attribute& sizes) {
  const auto ending = sizes.integers();
  const int count = int(ending.size());
  return count > 0 && shape.rank() >= count &&
         std::equal(ending.begin(), ending.end(), shape.end() - count);
}

// The range of normalized elements (`count` of them have a mean square of 1), times weight, plus
// bias.
bool RangeOfNormal(const OperatorUse& use, std::span<const Range> operands, std::int64_t count,
                   int weight, int bias, Ranges* results) {
  const double bound = std::fmin(1000, std::sqrt(double(std::max<std::int64_t>(count, 1))));
  Range range{-bound, bound, 1};
  if (use.Has(weight)) range = ProductOf(range, operands[weight]);
  if (use.Has(bias)) range = PlusOf(range, operands[bias]);
  return AddRange(use.operand(0).dtype, range, results);
}

bool LayerNormInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  if (!EndsIn(input.shape, use.attribute(0))) return false;
  const Shape sizes(use.attribute(0).integers());
  for (int i = 1; i <= 2; ++i) {
    if (use.Has(i) && (use.operand(i).dtype != input.dtype || use.shape(i) != sizes)) return false;
  }
  return InferSame<kFloats>(use, results);
}

bool LayerNormParameters(const OperatorUse& use, Types* types) {
  const TensorType type{use.operand(0).dtype, Shape(use.attribute(0).integers())};
  if (use.attribute(2).flag()) types->push_back(type);
  if (use.attribute(2).flag() && use.attribute(3).flag()) types->push_back(type);
  return true;
}

bool ProposeNormalizedShape(Draw* draw, std::span<const TensorType* const> inputs,
                            std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() == 0 || !IsFloating(inputs[0]->dtype)) return false;
  const int count = draw->Chance(0.7) ? 1 : int(draw->Integer(1, std::min(shape.rank(), 3)));
  attributes[0] = Attribute::Integers({shape.end() - count, shape.end()});
  return true;
}

bool LayerNormRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return RangeOfNormal(use, operands, Shape(use.attribute(0).integers()).Elements(), 1, 2, results);
}

bool RmsNormInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  if (!EndsIn(input.shape, use.attribute(0))) return false;
  if (use.Has(1) && use.operand(1) != TensorType{input.dtype, Shape(use.attribute(0).integers())}) {
    return false;
  }
  return InferSame<kFloats>(use, results);
}

bool RmsNormParameters(const OperatorUse& use, Types* types) {
  if (use.attribute(2).flag()) {
    types->push_back({use.operand(0).dtype, Shape(use.attribute(0).integers())});
  }
  return true;
}

// Whether every given tensor has one value per channel (dimension 1).
bool OneEachChannel(const OperatorUse& use) {
  const TensorType& input = use.operand(0);
  if (input.shape.rank() < 2) return false;
  for (std::size_t i = 1; i < use.operands.size(); ++i) {
    if (use.Has(int(i)) && use.operand(int(i)) != TensorType{input.dtype, {input.shape[1]}})
      return false;
  }
  return true;
}

// batch_norm(input, running_mean, running_var, weight, bias; training, momentum, eps).
bool BatchNormInfer(const OperatorUse& use, Types* results) {
  if (!OneEachChannel(use) || use.Has(1) != use.Has(2)) return false;
  const Shape& shape = use.shape(0);
  const bool training = use.attribute(0).flag();
  if (!training && !use.Has(1)) return false;
  // torch rejects a single value per channel, which has no variance.
  if (training && shape.Elements() == shape[1]) return false;
  return InferSame<kFloats>(use, results);
}

bool BatchNormParameters(const OperatorUse& use, Types* types) {
  const TensorType& input = use.operand(0);
  if (input.shape.rank() < 2) return false;
  const TensorType type{input.dtype, {input.shape[1]}};
  types->assign(use.attribute(3).flag() ? 4 : 2, type);
  return true;
}

bool BatchNormRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Shape& shape = use.shape(0);
  if (use.attribute(0).flag()) {
    return RangeOfNormal(use, operands, shape.Elements() / std::max<std::int64_t>(1, shape[1]), 3,
                         4, results);
  }
  if (operands[2].low < 1e-3) return false;
  const double most = 1 / std::sqrt(operands[2].low), least = 1 / std::sqrt(operands[2].high);
  Range range = ProductOf(PlusOf(operands[0], Scaled(operands[1], -1)),
                          {least, most, 1 / std::sqrt(operands[2].scale)});
  if (use.Has(3)) range = ProductOf(range, operands[3]);
  if (use.Has(4)) range = PlusOf(range, operands[4]);
  return AddRange(use.operand(0).dtype, range, results);
}

bool GroupNormInfer(const OperatorUse& use, Types* results) {
  const Shape& shape = use.shape(0);
  const std::int64_t groups = use.integer(0);
  if (!OneEachChannel(use) || groups < 1 || shape[1] % groups != 0) return false;
  // torch rejects a single value per group, and counts the batch.
  if (shape.Elements() / groups == 1) return false;
  return InferSame<kFloats>(use, results);
}

bool ChannelParameters(const OperatorUse& use, Types* types) {
  const TensorType& input = use.operand(0);
  if (input.shape.rank() < 2) return false;
  if (use.attributes.back().flag()) types->assign(2, {input.dtype, {input.shape[1]}});
  return true;
}

bool GroupNormPropose(Draw* draw, std::span<const TensorType* const> inputs,
                      std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  if (shape.rank() < 2) return false;
  std::int64_t groups = draw->Binned(1, std::min<std::int64_t>(shape[1], 32));
  while (shape[1] % groups != 0) --groups;
  attributes[0] = Attribute::Integer(groups);
  return true;
}

bool GroupNormRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Shape& shape = use.shape(0);
  const std::int64_t count =
      shape.Elements() / std::max<std::int64_t>(1, shape[0] * use.integer(0));
  return RangeOfNormal(use, operands, count, 1, 2, results);
}

bool InstanceNormInfer(const OperatorUse& use, Types* results) {
  const Shape& shape = use.shape(0);
  if (!OneEachChannel(use) || shape.Elements() == shape[0] * shape[1]) return false;
  return InferSame<kFloats>(use, results);
}

bool InstanceNormRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Shape& shape = use.shape(0);
  const std::int64_t count = shape.Elements() / std::max<std::int64_t>(1, shape[0] * shape[1]);
  return RangeOfNormal(use, operands, count, 1, 2, results);
}

// torch computes it by average pooling, which supports half precision only over two dimensions.
bool LocalResponseNormInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  if (use.integer(0) < 1 || input.shape.rank() < 3) return false;
  if (IsHalfPrecision(input.dtype) ? input.shape.rank() > 3
                                   : !IsFloating(input.dtype) && input.dtype != DType::kInt64) {
    return false;
  }
  return InferFloating<>(use, results);
}

bool LocalResponseNormRange(const OperatorUse& use, std::span<const Range> operands,
                            Ranges* results) {
  const double alpha = use.attribute(1).number(), beta = use.attribute(2).number(),
               k = use.attribute(3).number();
  if (alpha < 0 || beta < 0 || k <= 0) return false;
  return AddRange(FloatingOf(use.operand(0).dtype),
                  HullOf(Range{}, Scaled(operands[0], std::pow(k, -beta))), results);
}

bool NormalizeInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  return WrapDimension(use.integer(1), use.shape(0).rank(), &dim) &&
         InferSame<kFloats>(use, results);
}

bool NormalizeRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  int dim = 0;
  const Shape& shape = use.shape(0);
  const double order = use.attribute(0).number();
  if (order < 1 || !WrapDimension(use.integer(1), shape.rank(), &dim)) return false;
  const double size = shape.rank() == 0 ? 1.0 : double(std::max<std::int64_t>(1, shape[dim]));
  return AddRange(use.operand(0).dtype,
                  {operands[0].low < 0 ? -1.0 : 0.0, operands[0].high > 0 ? 1.0 : 0.0,
                   std::pow(size, -1 / order)},
                  results);
}

bool NormalizePropose(Draw* draw, std::span<const TensorType* const> inputs,
                      std::span<Attribute> attributes) {
  const int rank = inputs[0]->shape.rank();
  if (rank == 0) return false;
  if (draw->Chance(0.2)) attributes[0] = Attribute::Number(1);
  if (rank == 1 || draw->Chance(0.6))
    attributes[1] = Attribute::Integer(draw->Integer(-rank, rank - 1));
  return true;
}

constexpr std::string_view kAffine = "then weight and bias where there are any";

}  // namespace

void AddNorms(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "layer_norm",
       .family = kFamily,
       .operands = {{"input"},
                    {"weight", OperandRow::Role::kParameter},
                    {"bias", OperandRow::Role::kParameter}},
       .attributes = {Proposed("normalized_shape", Attribute::Kind::kIntegers),
                      NeverVaried("eps", Attribute::Number(1e-5)),
                      ModuleOnly(FlagOf("elementwise_affine", true)),
                      ModuleOnly(FlagOf("bias", true))},
       .infer = LayerNormInfer,
       .parameters = LayerNormParameters,
       .propose = ProposeNormalizedShape,
       .range = LayerNormRange,
       .cost = CostPerInput<8>,
       .spellings = {"torch.nn.functional.layer_norm", "torch.layer_norm", "torch.nn.LayerNorm"},
       .weight = 20,
       .construction = {.arguments = {Given("normalized_shape")}},
       .words = {.member = "norm",
                 .formula = "y[k] = (x[k] - mean) / sqrt(var + eps)",
                 .note = kAffine},
       .cpp = {.refused = {"layer_norm"}}});
  rows->push_back(
      {.name = "rms_norm",
       .family = kFamily,
       .operands = {{"input"}, {"weight", OperandRow::Role::kParameter}},
       .attributes = {Proposed("normalized_shape", Attribute::Kind::kIntegers),
                      {"eps", Attribute::Kind::kNumber},
                      ModuleOnly(FlagOf("elementwise_affine", true))},
       .infer = RmsNormInfer,
       .parameters = RmsNormParameters,
       .propose = ProposeNormalizedShape,
       .range = LayerNormRange,
       .cost = CostPerInput<5>,
       .spellings = {"torch.nn.functional.rms_norm", "torch.rms_norm", "torch.nn.RMSNorm"},
       .weight = 3,
       .construction = {.arguments = {Given("normalized_shape")}},
       .words = {.formula = "y[k] = x[k] / sqrt(sum_j x[j]^2 / n + eps)", .note = kAffine}});
  rows->push_back(
      {.name = "batch_norm",
       .family = kFamily,
       .operands = {{"input"},
                    {"running_mean", OperandRow::Role::kBuffer},
                    {"running_var", OperandRow::Role::kBuffer},
                    {"weight", OperandRow::Role::kParameter},
                    {"bias", OperandRow::Role::kParameter}},
       .attributes = {FlagOf("training"), NeverVaried("momentum", Attribute::Number(0.1)),
                      NeverVaried("eps", Attribute::Number(1e-5)),
                      ModuleOnly(FlagOf("affine", true))},
       .infer = BatchNormInfer,
       .parameters = BatchNormParameters,
       .range = BatchNormRange,
       .cost = CostPerInput<8>,
       .spellings = {"torch.nn.functional.batch_norm", "torch.nn.BatchNorm1d",
                     "torch.nn.BatchNorm2d", "torch.nn.BatchNorm3d"},
       .weight = 31,
       .sampler = {.least_rank = 2, .most_rank = 5},
       .construction = {.arguments = {SizeOf(0, 1)}},
       .words = {.member = "bn",
                 .formula = "y = (x - mean[c]) / sqrt(var[c] + eps)",
                 .note = kAffine},
       .cpp = {.refused = {"batch_norm"}}});
  rows->push_back({.name = "group_norm",
                   .family = kFamily,
                   .operands = {{"input"},
                                {"weight", OperandRow::Role::kParameter},
                                {"bias", OperandRow::Role::kParameter}},
                   .attributes = {Proposed("num_groups", Attribute::Kind::kInteger),
                                  NeverVaried("eps", Attribute::Number(1e-5)),
                                  ModuleOnly(FlagOf("affine", true))},
                   .infer = GroupNormInfer,
                   .parameters = ChannelParameters,
                   .propose = GroupNormPropose,
                   .range = GroupNormRange,
                   .cost = CostPerInput<8>,
                   .spellings = {"torch.nn.functional.group_norm", "torch.nn.GroupNorm"},
                   .weight = 17,
                   .construction = {.arguments = {Given("num_groups"), SizeOf(0, 1)}},
                   .words = {.member = "gn",
                             .formula = "y = (x - mean_g) / sqrt(var_g + eps)",
                             .note = kAffine},
                   .cpp = {.refused = {"group_norm"}}});
  rows->push_back({.name = "instance_norm",
                   .family = kFamily,
                   .operands = {{"input"},
                                {"weight", OperandRow::Role::kParameter},
                                {"bias", OperandRow::Role::kParameter}},
                   .attributes = {NeverVaried("eps", Attribute::Number(1e-5)),
                                  ModuleOnly(FlagOf("affine", false))},
                   .infer = InstanceNormInfer,
                   .parameters = ChannelParameters,
                   .range = InstanceNormRange,
                   .cost = CostPerInput<8>,
                   .spellings = {"torch.nn.functional.instance_norm", "torch.nn.InstanceNorm1d",
                                 "torch.nn.InstanceNorm2d", "torch.nn.InstanceNorm3d"},
                   .weight = 4,
                   .sampler = {.least_rank = 3, .most_rank = 5},
                   .construction = {.arguments = {SizeOf(0, 1)}},
                   .words = {.formula = "y = (x - mean_c) / sqrt(var_c + eps)", .note = kAffine},
                   .cpp = {.refused = {"instance_norm"}}});
  rows->push_back(
      {.name = "local_response_norm",
       .family = kFamily,
       .operands = {{"input"}},
       .attributes = {IntegerBetween("size", 1, 9), NumberWithDefault("alpha", 1e-4, 0.01, 1),
                      NumberWithDefault("beta", 0.75, 0.25, 1), NumberWithDefault("k", 1, 1, 2)},
       .infer = LocalResponseNormInfer,
       .range = LocalResponseNormRange,
       .cost = CostPerInput<8>,
       .spellings = {"torch.nn.functional.local_response_norm", "torch.nn.LocalResponseNorm"},
       .weight = 0.7,
       .traits = {.keeps_sizes = true}});
  rows->push_back({.name = "normalize",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("p", Attribute::Kind::kNumber, Attribute::Number(2)),
                                  Proposed("dim", Attribute::Kind::kInteger, Attribute::Integer(1)),
                                  NeverVaried("eps", Attribute::Number(1e-12))},
                   .infer = NormalizeInfer,
                   .propose = NormalizePropose,
                   .range = NormalizeRange,
                   .cost = CostPerInput<4>,
                   .spellings = {"torch.nn.functional.normalize"},
                   .weight = 3,
                   .words = {.formula = "y[k] = x[k] / max(norm(x), eps)"}});
}

}  // namespace kernelmill
