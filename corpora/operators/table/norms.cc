// Normalisations: what is left when mean and spread are taken out.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kNorm;

// The attribute at 0 holds the last sizes.
bool EndsIn(const Shape& shape, const Attribute& sizes) {
  const auto ending = sizes.integers();
  const int count = int(ending.size());
  return count > 0 && shape.rank() >= count &&
         std::equal(ending.begin(), ending.end(), shape.end() - count);
}

// Of elements whose squares have mean 1, `count` together, times weight, plus bias.
bool RangeOfNormal(const OperatorUse& use, std::span<const Range> operands, std::int64_t count,
                   int weight, int bias, Ranges* results) {
  const double bound = std::sqrt(double(std::max<std::int64_t>(count, 1)));
  Range range{-std::fmin(bound, 1000), std::fmin(bound, 1000), 1};
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

}  // namespace

void AddNorms(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "layer_norm",
       .family = kFamily,
       .operands = {{"input"},
                    {"weight", OperandRow::Role::kParameter},
                    {"bias", OperandRow::Role::kParameter}},
       .attributes = {Proposed("normalized_shape", Attribute::Kind::kIntegers),
                      Fixed("eps", Attribute::Number(1e-5)),
                      OfModule(FlagOf("elementwise_affine", true)), OfModule(FlagOf("bias", true))},
       .infer = LayerNormInfer,
       .parameters = LayerNormParameters,
       .propose = ProposeNormalizedShape,
       .range = LayerNormRange,
       .cost = CostPerInput<8>,
       .spellings = {"torch.nn.functional.layer_norm", "torch.layer_norm", "torch.nn.LayerNorm"},
       .weight = 20});
}

}  // namespace kernelmill
