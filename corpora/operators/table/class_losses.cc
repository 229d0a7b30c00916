// Rows of losses on vectors: classes, labels, and distances.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/loss_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kLoss;

// cross_entropy(input, target, label_smoothing). Classes are along dimension 1, or the only
// dimension. The target holds one class index per sample or, with the input's shape, probabilities.
bool ClassInfer(const OperatorUse& use, bool probabilities, Types* results) {
  const TensorType &input = use.operand(0), &target = use.operand(1);
  if (input.shape.rank() == 0 || !IsFloating(input.dtype)) return false;
  TensorType type{input.dtype, input.shape};
  type.shape.Erase(input.shape.rank() == 1 ? 0 : 1);
  if (probabilities && IsFloating(target.dtype)) {
    if (target.shape != input.shape || target.dtype != input.dtype) return false;
  } else if ((target.dtype != DType::kInt64 && target.dtype != DType::kUInt8) ||
             target.shape != type.shape) {
    return false;
  }
  return InferReducedLoss(use, type, results);
}

bool CrossEntropyInfer(const OperatorUse& use, Types* results) {
  const double smoothing = use.attribute(0).number();
  return smoothing >= 0 && smoothing <= 1 && ClassInfer(use, true, results);
}

bool NllInfer(const OperatorUse& use, Types* results) { return ClassInfer(use, false, results); }

std::int64_t Classes(const Shape& shape) { return shape.rank() == 1 ? shape[0] : shape[1]; }

bool ClassInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType input = (*inputs)[0].type;
  if (input.shape.rank() == 0 || !IsFloating(input.dtype)) return false;
  TensorType target{DType::kInt64, input.shape};
  target.shape.Erase(input.shape.rank() == 1 ? 0 : 1);
  inputs->push_back({target, Range::Uniform(0, double(Classes(input.shape) - 1))});
  return true;
}

bool TargetIsClass(const OperatorUse& use, const Range& target) {
  return target.low >= 0 && target.high < double(Classes(use.shape(0)));
}

bool CrossEntropyRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const Range& x = operands[0];
  const bool probabilities = IsFloating(use.operand(1).dtype);
  if (probabilities ? operands[1].low < 0 : !TargetIsClass(use, operands[1])) return false;
  const double classes = double(Classes(use.shape(0)));
  const double weight = probabilities ? classes * operands[1].high : 1;
  const double most = weight * (x.high - x.low + std::log(classes));
  return AppendReducedLossRange(
      use, use.operand(0).dtype,
      {0, most,
       std::fmin(most, weight * std::hypot(std::log(classes) + x.scale * x.scale / 2, x.scale))},
      use.shape(0).Elements() / std::max<std::int64_t>(1, std::int64_t(classes)), results);
}

bool NllRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!TargetIsClass(use, operands[1])) return false;
  return AppendReducedLossRange(
      use, use.operand(0).dtype, Scaled(operands[0], -1),
      use.shape(0).Elements() / std::max<std::int64_t>(1, Classes(use.shape(0))), results);
}

// The dtype of the two distances, which are floating-point numbers.
DType TripletDType(const OperatorUse& use) {
  const TensorType* near[] = {use.operands[0], use.operands[1]};
  const TensorType* far[] = {use.operands[0], use.operands[2]};
  return Promoted(FloatingOf(ResultDType({near, {}})), FloatingOf(ResultDType({far, {}})));
}

// triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap).
bool TripletInfer(const OperatorUse& use, Types* results) {
  TensorType type{TripletDType(use), {}};
  const int rank = use.shape(0).rank();
  if (ResultDType(use) == DType::kBool || !BroadcastAll(use, &type.shape) ||
      use.attribute(0).number() <= 0 || use.shape(1).rank() != rank ||
      use.shape(2).rank() != rank) {
    return false;
  }
  if (rank > 0) type.shape.Erase(rank - 1);
  return InferReducedLoss(use, type, results);
}

bool TripletRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const double order = use.attribute(1).number(), margin = use.attribute(0).number();
  if (order < 1 || use.shape(0).rank() == 0) return false;
  // Differences of unsigned integers may wrap around.
  for (const TensorType* operand : use.operands) {
    if (!IsFloating(operand->dtype)) return false;
  }
  const double count = double(std::max<std::int64_t>(1, use.shape(0).Back(0)));
  const Range difference = PlusOf(operands[0], Scaled(operands[1], -1));
  const double factor = std::pow(count, 1 / order);
  const double most = factor * std::fmax(-difference.low, difference.high) + margin;
  return AppendReducedLossRange(use, TripletDType(use),
                                {0, most, std::fmin(most, difference.scale + margin)},
                                use.shape(0).Elements() / std::int64_t(count), results);
}

bool TripletPropose(Draw* draw, std::span<const TensorType* const>,
                    std::span<Attribute> attributes) {
  if (draw->Chance(0.2)) attributes[1] = Attribute::Number(1);
  return true;
}

// cosine_embedding_loss(input1, input2, target, margin): angles along the last dimension. Mixed
// dtypes, which torch accepts, are left out.
bool CosineInfer(const OperatorUse& use, Types* results) {
  const Shape &a = use.shape(0), &b = use.shape(1), &target = use.shape(2);
  TensorType type{use.operand(0).dtype, {}};
  if (!IsFloating(type.dtype) || use.operand(1).dtype != type.dtype ||
      use.operand(2).dtype != type.dtype || target.rank() > 1 || a.rank() != target.rank() + 1 ||
      b.rank() != a.rank() || !Broadcast(a, b, &type.shape)) {
    return false;
  }
  type.shape.Erase(a.rank() - 1);
  return Broadcast(type.shape, target, &type.shape) && InferReducedLoss(use, type, results);
}

bool CosineInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  const TensorType type = (*inputs)[0].type;
  if (type.shape.rank() < 1 || type.shape.rank() > 2 || !IsFloating(type.dtype)) return false;
  inputs->push_back({type, UsualRange(type.dtype)});
  TensorType target = type;
  target.shape.Erase(type.shape.rank() - 1);
  inputs->push_back({target, Range::Constant(1)});
  return true;
}

bool CosineRange(const OperatorUse& use, std::span<const Range>, Ranges* results) {
  // In half precision the squares of small numbers underflow, so their quotient is NaN.
  if (use.operand(0).dtype < DType::kFloat32) return false;
  return AppendReducedLossRange(
      use, ResultDType({use.operands.first(2), {}}),
      {0, 2 + std::fabs(use.attribute(0).number()), 1},
      use.shape(0).Elements() / std::max<std::int64_t>(1, use.shape(0).Back(0)), results);
}

// multi_margin_loss(input, target, p, margin) for (classes) or (batch, classes).
bool MultiMarginInfer(const OperatorUse& use, Types* results) {
  const TensorType &input = use.operand(0), &target = use.operand(1);
  const std::int64_t p = use.integer(0);
  if (input.shape.rank() < 1 || input.shape.rank() > 2 || input.dtype < DType::kFloat32 ||
      (p != 1 && p != 2) || target.dtype != DType::kInt64) {
    return false;
  }
  TensorType type{input.dtype, {}};
  if (input.shape.rank() == 2) type.shape.Append(input.shape[0]);
  if (target.shape != type.shape && !(input.shape.rank() == 1 && target.shape == Shape{1}))
    return false;
  return InferReducedLoss(use, {input.dtype, target.shape}, results);
}

bool MultiMarginInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  return (*inputs)[0].type.shape.rank() <= 2 && ClassInputs(draw, attributes, inputs);
}

bool MultiMarginRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!TargetIsClass(use, operands[1])) return false;
  const double margin = use.attribute(1).number();
  const double one = std::fmax(0, margin + operands[0].high - operands[0].low);
  const double most = use.integer(0) == 2 ? one * one : one;
  return AppendReducedLossRange(use, use.operand(0).dtype,
                                {0, most, std::fmin(most, margin + operands[0].scale * 1.5)},
                                use.shape(0).rank() == 2 ? use.shape(0)[0] : 1, results);
}

// multilabel_soft_margin_loss(input, target): the mean over the last dimension.
bool MultilabelInfer(const OperatorUse& use, Types* results) {
  TensorType type{ResultDType(use), {}};
  if (!IsFloating(type.dtype) || use.operand(1).dtype == DType::kBool ||
      !BroadcastAll(use, &type.shape) || use.shape(0).rank() == 0)
    return false;
  const int dim = use.shape(0).rank() - 1;
  if (type.shape.rank() <= dim) return false;
  type.shape.Erase(type.shape.rank() - 1);
  return InferReducedLoss(use, type, results);
}

bool MultilabelInputs(Draw*, std::span<const Attribute>, NewTensors* inputs) {
  inputs->push_back({(*inputs)[0].type, Range::Uniform(0, 1)});
  return IsFloating((*inputs)[0].type.dtype) && (*inputs)[0].type.shape.rank() > 0;
}

bool MultilabelRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (!operands[1].Within({0, 1})) return false;
  const double far = std::fmax(std::fabs(operands[0].low), std::fabs(operands[0].high));
  // torch divides by the number of the input's classes, even if the target is broadcast to more.
  const double more =
      double(std::max(use.shape(0).Back(0), use.shape(1).rank() > 0 ? use.shape(1).Back(0) : 1)) /
      double(std::max<std::int64_t>(1, use.shape(0).Back(0)));
  return AppendReducedLossRange(
      use, ResultDType(use), {0, more * (far + 0.7), more * (0.7 + operands[0].scale / 2)},
      use.shape(0).Elements() / std::max<std::int64_t>(1, use.shape(0).Back(0)), results);
}

}  // namespace

void AddClassLosses(std::vector<OperatorRow>* rows) {
  rows->push_back(
      {.name = "cross_entropy",
       .family = kFamily,
       .operands = {{"input"}, {"target"}},
       .attributes = {NumberWithDefault("label_smoothing", 0, 0, 0.2), ReductionAttribute()},
       .infer = CrossEntropyInfer,
       .inputs = ClassInputs,
       .range = CrossEntropyRange,
       .cost = CostPerInput<6>,
       .spellings = {"torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss"},
       .weight = 2,
       .words = {.formula = "loss = log(sum_j exp(x[j] - m)) + m - x[target]"},
       .traits = {.shifts_exponentials = true},
       .cpp = {.refused = {"cross_entropy_loss"}}});
  rows->push_back({.name = "nll_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {ReductionAttribute()},
                   .infer = NllInfer,
                   .inputs = ClassInputs,
                   .range = NllRange,
                   .cost = CostPerInput<1>,
                   .spellings = {"torch.nn.functional.nll_loss", "torch.nn.NLLLoss"},
                   .weight = 0.8});
  rows->push_back(
      {.name = "triplet_margin_loss",
       .family = kFamily,
       .operands = {{"anchor"}, {"positive"}, {"negative"}},
       .attributes = {NumberWithDefault("margin", 1, 0.5, 2),
                      Proposed("p", Attribute::Kind::kNumber, Attribute::Number(2)), FlagOf("swap"),
                      ReductionAttribute()},
       .infer = TripletInfer,
       .propose = TripletPropose,
       .inputs = InputsAlike<2>,
       .range = TripletRange,
       .cost = CostPerInput<8>,
       .spellings = {"torch.nn.functional.triplet_margin_loss", "torch.nn.TripletMarginLoss"},
       .weight = 1.5});
  rows->push_back(
      {.name = "cosine_embedding_loss",
       .family = kFamily,
       .operands = {{"input1"}, {"input2"}, {"target"}},
       .attributes = {NumberWithDefault("margin", 0, 0, 0.5), ReductionAttribute()},
       .infer = CosineInfer,
       .inputs = CosineInputs,
       .range = CosineRange,
       .cost = CostPerInput<6>,
       .spellings = {"torch.nn.functional.cosine_embedding_loss", "torch.nn.CosineEmbeddingLoss"},
       .weight = 0.5});
  rows->push_back(
      {.name = "multi_margin_loss",
       .family = kFamily,
       .operands = {{"input"}, {"target"}},
       .attributes = {IntegerBetween("p", 1, 2, Attribute::Integer(1)),
                      NumberWithDefault("margin", 1, 0.5, 2), ReductionAttribute()},
       .infer = MultiMarginInfer,
       .inputs = MultiMarginInputs,
       .range = MultiMarginRange,
       .cost = CostPerInput<4>,
       .spellings = {"torch.nn.functional.multi_margin_loss", "torch.nn.MultiMarginLoss"},
       .weight = 0.4});
  rows->push_back({.name = "multilabel_soft_margin_loss",
                   .family = kFamily,
                   .operands = {{"input"}, {"target"}},
                   .attributes = {ReductionAttribute()},
                   .infer = MultilabelInfer,
                   .inputs = MultilabelInputs,
                   .range = MultilabelRange,
                   .cost = CostPerInput<8>,
                   .spellings = {"torch.nn.functional.multilabel_soft_margin_loss",
                                 "torch.nn.MultiLabelSoftMarginLoss"},
                   .weight = 0.4});
}

}  // namespace kernelmill
