// Rows of sorting and of operators that need an order.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kSort;

bool Dim(const OperatorUse& use, int attribute, int* dim) {
  return WrapDimension(use.integer(attribute), use.shape(0).rank(), dim);
}

double SizeAlong(const OperatorUse& use, int attribute) {
  int dim = 0;
  const Shape& shape = use.shape(0);
  if (shape.rank() == 0 || !Dim(use, attribute, &dim)) return 1;
  return std::fmax(1, double(shape[dim]));
}

// sort(input, dim, descending, stable) and argsort.
template <bool values>
bool SortInfer(const OperatorUse& use, Types* results) {
  int dim = 0;
  if (!Dim(use, 0, &dim)) return false;
  if (values) results->push_back(use.operand(0));
  results->push_back({DType::kInt64, use.shape(0)});
  return true;
}

template <bool values, int dim>
bool SortRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  if (values) results->push_back(operands[0]);
  results->push_back(Range::Uniform(0, SizeAlong(use, dim) - 1));
  return true;
}

// topk(input, k, dim, largest, sorted).
bool TopkInfer(const OperatorUse& use, Types* results) {
  TensorType type = use.operand(0);
  int dim = 0;
  const std::int64_t k = use.integer(0);
  if (!Dim(use, 1, &dim) || type.dtype == DType::kBool || k < 0 ||
      k > (type.shape.rank() == 0 ? 1 : type.shape[dim]))
    return false;
  if (type.shape.rank() > 0) type.shape[dim] = k;
  results->push_back(type);
  results->push_back({DType::kInt64, type.shape});
  return true;
}

bool TopkPropose(Draw* draw, std::span<const TensorType* const> inputs,
                 std::span<Attribute> attributes) {
  const Shape& shape = inputs[0]->shape;
  int dim = 0;
  if (shape.rank() == 0 || !WrapDimension(attributes[1].integer(), shape.rank(), &dim))
    return false;
  attributes[0] = Attribute::Integer(draw->Binned(1, shape[dim]));
  return true;
}

// kthvalue(input, k, dim, keepdim).
bool KthvalueInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  int dim = 0;
  const std::int64_t k = use.integer(0);
  if (!Dim(use, 1, &dim) || input.dtype == DType::kBool || k < 1 ||
      k > (input.shape.rank() == 0 ? 1 : input.shape[dim])) {
    return false;
  }
  TensorType type{input.dtype, Reduced(input.shape, 1u << dim, use.attribute(2).flag())};
  results->push_back(type);
  results->push_back({DType::kInt64, type.shape});
  return true;
}

bool MedianInfer(const OperatorUse& use, Types* results) {
  if (use.operand(0).dtype == DType::kBool) return false;
  results->push_back({use.operand(0).dtype, {}});
  return true;
}

// median(input, dim, keepdim) and mode.
template <unsigned kinds>
bool AlongInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  int dim = 0;
  if (!Dim(use, 0, &dim) || !Takes(kinds, input.dtype)) return false;
  TensorType type{input.dtype, Reduced(input.shape, 1u << dim, use.attribute(1).flag())};
  results->push_back(type);
  results->push_back({DType::kInt64, type.shape});
  return true;
}

// searchsorted(sorted_sequence, input, right): the sequence has one dimension, or the input's
// dimensions except the last. bucketize(input, boundaries, right).
bool SearchInfer(const OperatorUse& use, Types* results) {
  const Shape &sequence = use.shape(0), &values = use.shape(1);
  if (sequence.rank() == 0 || ResultDType(use) == DType::kBool) return false;
  if (sequence.rank() > 1) {
    if (sequence.rank() != values.rank()) return false;
    for (int i = 0; i + 1 < sequence.rank(); ++i) {
      if (sequence[i] != values[i]) return false;
    }
  }
  results->push_back({DType::kInt64, values});
  return true;
}

bool SearchInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  TensorType type = (*inputs)[0].type;
  if (type.shape.rank() == 0) return false;
  type.shape[type.shape.rank() - 1] = draw->Binned(1, 16);
  inputs->push_back({type, UsualRange(type.dtype)});
  return true;
}

bool SearchRange(const OperatorUse& use, std::span<const Range>, Ranges* results) {
  results->push_back(Range::Uniform(0, double(use.shape(0).Back(0))));
  return true;
}

bool BucketizeInfer(const OperatorUse& use, Types* results) {
  if (use.shape(1).rank() != 1 || ResultDType(use) == DType::kBool) return false;
  results->push_back({DType::kInt64, use.shape(0)});
  return true;
}

bool BucketizeInputs(Draw* draw, std::span<const Attribute>, NewTensors* inputs) {
  const DType dtype = (*inputs)[0].type.dtype;
  inputs->push_back({{dtype, {draw->Binned(1, 64)}}, UsualRange(dtype)});
  return true;
}

bool BucketizeRange(const OperatorUse& use, std::span<const Range>, Ranges* results) {
  results->push_back(Range::Uniform(0, double(use.shape(1).Elements())));
  return true;
}

// About n log n comparisons.
template <int per_element>
OperatorCost SortCost(const OperatorUse& use, std::span<const TensorType> results) {
  return {per_element * use.shape(0).Elements(), BytesMoved(use, results)};
}

}  // namespace

void AddSorts(std::vector<OperatorRow>* rows) {
  rows->push_back({.name = "sort",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension("dim", Attribute::Integer(-1)), FlagOf("descending"),
                                  KeywordOnly(FlagOf("stable"))},
                   .infer = SortInfer<true>,
                   .range = SortRange<true, 0>,
                   .cost = SortCost<10>,
                   .spellings = {"torch.sort", "torch.Tensor.sort"},
                   .weight = 1,
                   .traits = {.keeps_sizes = true}});
  rows->push_back({.name = "argsort",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension("dim", Attribute::Integer(-1)), FlagOf("descending"),
                                  KeywordOnly(FlagOf("stable"))},
                   .infer = SortInfer<false>,
                   .range = SortRange<false, 0>,
                   .cost = SortCost<10>,
                   .spellings = {"torch.argsort", "torch.Tensor.argsort"},
                   .weight = 0.7,
                   .traits = {.keeps_sizes = true}});
  rows->push_back({.name = "topk",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("k", Attribute::Kind::kInteger),
                                  Dimension("dim", Attribute::Integer(-1)), FlagOf("largest", true),
                                  NeverVaried("sorted", Attribute::Flag(true))},
                   .infer = TopkInfer,
                   .propose = TopkPropose,
                   .range = SortRange<true, 1>,
                   .cost = SortCost<4>,
                   .spellings = {"torch.topk", "torch.Tensor.topk"},
                   .weight = 1.5});
  rows->push_back({.name = "kthvalue",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Proposed("k", Attribute::Kind::kInteger),
                                  Dimension("dim", Attribute::Integer(-1)), FlagOf("keepdim")},
                   .infer = KthvalueInfer,
                   .propose = TopkPropose,
                   .range = SortRange<true, 1>,
                   .cost = SortCost<4>,
                   .spellings = {"torch.kthvalue", "torch.Tensor.kthvalue"},
                   .weight = 0.4});
  rows->push_back({.name = "median",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .infer = MedianInfer,
                   .range = RangeOfFirstOperand,
                   .cost = SortCost<4>,
                   .spellings = {"torch.median", "torch.Tensor.median"},
                   .weight = 0.4});
  rows->push_back({.name = "median_dim",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension(), FlagOf("keepdim")},
                   .infer = AlongInfer<kNumbers>,
                   .range = SortRange<true, 0>,
                   .cost = SortCost<4>,
                   .spellings = {"torch.median", "torch.Tensor.median"},
                   .weight = 0.6});
  rows->push_back({.name = "mode",
                   .family = kFamily,
                   .operands = {{"input"}},
                   .attributes = {Dimension("dim", Attribute::Integer(-1)), FlagOf("keepdim")},
                   .infer = AlongInfer<kAnyDType>,
                   .range = SortRange<true, 0>,
                   .cost = SortCost<10>,
                   .spellings = {"torch.mode", "torch.Tensor.mode"},
                   .weight = 0.3});
  rows->push_back({.name = "searchsorted",
                   .family = kFamily,
                   .operands = {{"sorted_sequence"}, {"input"}},
                   .attributes = {KeywordOnly(FlagOf("right"))},
                   .infer = SearchInfer,
                   .inputs = SearchInputs,
                   .range = SearchRange,
                   .cost = CostPerElement<8>,
                   .spellings = {"torch.searchsorted"},
                   .weight = 0.3,
                   .words = {.like_family = false}});
  rows->push_back({.name = "bucketize",
                   .family = kFamily,
                   .operands = {{"input"}, {"boundaries"}},
                   .attributes = {KeywordOnly(FlagOf("right"))},
                   .infer = BucketizeInfer,
                   .inputs = BucketizeInputs,
                   .range = BucketizeRange,
                   .cost = CostPerElement<8>,
                   .spellings = {"torch.bucketize"},
                   .weight = 0.4,
                   .words = {.like_family = false},
                   .traits = {.keeps_sizes = true}});
}

}  // namespace kernelmill
