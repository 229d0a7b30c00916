#include "generators/graphs/graph_draft.h"

#include <algorithm>
#include <limits>

#include "corpora/operators/operator_table.h"
#include "generators/graphs/foreseeable.h"

namespace kernelmill {
namespace {

// Tuple attributes that hold tensor sizes. Other tuples (kernels, strides, paddings) are the same
// at all sizes.
constexpr std::string_view kSizeTuples[] = {
    "normalized_shape", "shape", "size", "sizes", "split_sizes", "s", "unflattened_size"};

bool HoldsSizes(const AttributeRow& row) {
  return std::find(std::begin(kSizeTuples), std::end(kSizeTuples), row.name) !=
         std::end(kSizeTuples);
}

// Whether an operand of this shape is usual. Convolutions and pools also accept a single image, but
// a reader would take it for a batch.
bool IsUsual(const OperatorRow& op, const Shape& shape) {
  const int rank = shape.rank();
  const SamplerRules& rules = op.sampler;
  if (rank < rules.least_rank || (rules.most_rank > 0 && rank > rules.most_rank)) return false;
  if (rules.most_columns > 0 && shape.Back(0) > rules.most_columns) return false;
  if (op.family != OperatorFamily::kConvolution && op.family != OperatorFamily::kPooling &&
      op.family != OperatorFamily::kTransposedConvolution) {
    return true;
  }
  return !op.name.ends_with('d') || rank == op.name[op.name.size() - 2] - '0' + 2;
}

}  // namespace

void GraphDraft::Clear(std::uint64_t seed) {
  draw_ = Draw(seed);
  large_.Clear();
  small_.Clear();
  names_.Clear();
  uses_.clear();
  scattered_.clear();
  outputs_.clear();
  links_.clear();
  failed_ = false;
  Demand(0, std::numeric_limits<std::int64_t>::max(), false);
}

bool GraphDraft::MeetsDemand(ValueId result) const {
  const TensorType& type = large_.value(result).type;
  const std::int64_t elements = type.shape.Elements();
  return elements >= least_elements_ && elements <= most_elements_ &&
         (!floating_ || IsFloating(type.dtype));
}

ValueId GraphDraft::Input(std::string_view name, DType dtype, std::span<const std::int16_t> sizes,
                          const Range& range, InputLayout layout) {
  small_.AddInput(dtype, sizes, range, layout);
  const ValueId id = large_.AddInput(dtype, sizes, range, layout);
  if (!name.empty()) Name(id, name);
  return id;
}

ValueId GraphDraft::InputIndices(std::string_view name, std::span<const std::int16_t> sizes,
                                 const SizePair& rows) {
  const Range large = Range::Uniform(0, double(rows.large - 1));
  const Range small = Range::Uniform(0, double(rows.small - 1));
  const ValueId id = Input(name, DType::kInt64, sizes, large);
  large_.SetRange(id, large, small);
  small_.SetRange(id, small, small);
  return id;
}

ValueId GraphDraft::Parameter(std::string_view name, DType dtype,
                              std::initializer_list<Extent> extents, const Range& range) {
  TensorType large{dtype, {}}, small{dtype, {}};
  std::array<std::int16_t, kMaxRank> variables;
  int rank = 0;
  for (const Extent& extent : extents) {
    const bool bound = extent.variable != kNoVariable;
    large.shape.Append(bound ? PairOf(extent.variable).large : extent.number);
    small.shape.Append(bound ? PairOf(extent.variable).small : extent.number);
    variables[rank++] = extent.variable;
  }
  const std::span<const std::int16_t> sizes(variables.data(), rank);
  small_.AddValue(small, ValueRole::kParameter, range, sizes);
  const ValueId id = large_.AddValue(large, ValueRole::kParameter, range, sizes);
  Name(id, name);
  return id;
}

void GraphDraft::Name(ValueId id, std::string_view name) {
  if (id == kAbsent) return;
  if (names_.values.size() <= std::size_t(id)) names_.values.resize(id + 1);
  names_.values[id] = name;
}

DraftArgument GraphDraft::Tuple(std::string_view name,
                                std::initializer_list<Extent> extents) const {
  std::array<std::int64_t, kMaxRank> large, small;
  std::size_t count = 0;
  for (const Extent& extent : extents) {
    const bool bound = extent.variable != kNoVariable;
    large[count] = bound ? large_.sizes()[extent.variable].value : extent.number;
    small[count++] = bound ? large_.sizes()[extent.variable].small : extent.number;
  }
  return {name, Attribute::Integers(std::span(large).first(count)),
          Attribute::Integers(std::span(small).first(count))};
}

void GraphDraft::Rewind(const Mark& mark) {
  for (std::size_t i = mark.large.nodes; i < large_.nodes().size(); ++i) {
    for (const ValueId id : large_.operands(large_.nodes()[i])) {
      if (id != kAbsent) --uses_[id];
    }
  }
  std::erase_if(links_, [&](const SizeLink& link) {
    return std::size_t(link.source) >= mark.large.values ||
           std::size_t(link.variable) >= mark.large.sizes;
  });
  large_.Rewind(mark.large);
  small_.Rewind(mark.small);
  uses_.resize(mark.large.values);
  scattered_.resize(mark.large.values);
  if (names_.values.size() > mark.large.values) names_.values.resize(mark.large.values);
}

void GraphDraft::Reconcile(const OperatorRow& op) {
  variables_.assign(attributes_.size(), kNoVariable);
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    const AttributeRow& row = op.attributes[i];
    Attribute& large = attributes_[i];
    Attribute& small = small_attributes_[i];
    // A module is in training mode until eval() is called, which the judge never does.
    if (row.name == "training") large = small = Attribute::Flag(true);
    if (row.kind == Attribute::Kind::kSize && large.kind() == Attribute::Kind::kSize) {
      std::int64_t at_large = large.integer(), at_small = small.integer();
      if (row.draw.kind == AttributeDraw::Kind::kBinned) {
        const SizePair pair = DrawFeatures(&draw_);
        at_large = pair.large;
        at_small = pair.small;
      } else if (at_large > 32 && Find(at_large, at_small) == kNoVariable) {
        // Multiples of 16, which groups of channels divide.
        at_large = (at_large + 15) / 16 * 16;
      }
      variables_[i] = at_large == at_small ? kNoVariable : Size(row.name, at_large, at_small);
      large = Attribute::Size(at_large);
      small = Attribute::Size(at_small);
      continue;
    }
    if (large == small) continue;
    if (row.kind == Attribute::Kind::kIntegers && HoldsSizes(row)) {
      continue;
    }
    if (large.kind() == Attribute::Kind::kInteger && small.kind() == Attribute::Kind::kInteger) {
      const std::int16_t variable = Find(large.integer(), small.integer());
      if (variable != kNoVariable) {
        variables_[i] = variable;
        continue;
      }
    }
    large = small;
  }
}

ValueId GraphDraft::Fitting(const NewTensor& large, const NewTensor& small, ValueId first) {
  ValueId found = kAbsent;
  int seen = 0;
  // Only recent values are considered.
  const std::size_t count = large_.values().size();
  for (std::size_t id = count > 64 ? count - 64 : 0; id < count; ++id) {
    const Value& value = large_.values()[id];
    if (value.type != large.type || static_cast<ValueId>(id) == first) continue;
    if (value.role == ValueRole::kBuffer || (value.node >= 0 && !value.is_computed())) continue;
    if (small_.values()[id].type != small.type) continue;
    if (!value.range.Within(large.range) && large.range.low > -5) continue;
    // Reservoir sampling: every match has the same probability.
    if (draw_.Index(++seen) == 0) found = static_cast<ValueId>(id);
  }
  return found;
}

ValueId GraphDraft::Create(const OperatorRow& op, const NewTensor& large, const NewTensor& small,
                           ValueId first) {
  std::array<std::int16_t, kMaxRank> variables;
  const int rank = large.type.shape.rank();
  if (rank != small.type.shape.rank() || large.type.dtype != small.type.dtype) return kAbsent;
  // All elements would be true.
  if (large.type.dtype == DType::kBool && large.range.low > 0) return kAbsent;
  for (int i = 0; i < rank; ++i) {
    variables[i] = SizeLike(first, large.type.shape, small.type.shape, i);
  }
  const bool floating = IsFloating(large.type.dtype);
  const bool learned = floating && !large_.values().empty() &&
                       op.family == OperatorFamily::kElementwise && rank < 4 && rank > 0 &&
                       large.type.shape.Elements() <= (1 << 22) && draw_.Chance(0.5);
  const ValueRole role = learned ? ValueRole::kParameter : ValueRole::kInput;
  const std::span<const std::int16_t> bound(variables.data(), rank);
  const ValueId other = small_.AddValue(small.type, role, small.range, bound);
  small_.SetRange(other, small.range, small.range);
  const ValueId id = large_.AddValue(large.type, role, large.range, bound);
  large_.SetRange(id, large.range, small.range);
  if (learned) Name(id, op.name == "add" ? "bias" : op.name == "mul" ? "scale" : "weight");
  return id;
}

bool GraphDraft::CompleteOperands(const OperatorRow& op, ValueId first) {
  if (op.inputs == nullptr) return true;
  const std::uint64_t seed = draw_.Next();
  Draw at_large(seed), at_small(seed);
  tensors_.assign(1, {large_.value(first).type, large_.value(first).range});
  small_tensors_.assign(1, {small_.value(first).type, small_.value(first).range});
  if (!op.inputs(&at_large, attributes_, &tensors_) ||
      !op.inputs(&at_small, small_attributes_, &small_tensors_) ||
      tensors_.size() != small_tensors_.size()) {
    return false;
  }
  const Value& value = large_.value(first);
  // A bool input with a constant value is not useful.
  if (value.type.dtype == DType::kBool && tensors_[0].range.low > 0) return false;
  if (value.role == ValueRole::kInput && Uses(first) == 0) {
    large_.SetRange(first, tensors_[0].range, small_tensors_[0].range);
    small_.SetRange(first, small_tensors_[0].range, small_tensors_[0].range);
  }
  for (std::size_t i = 1; i < tensors_.size(); ++i) {
    ValueId id = Fitting(tensors_[i], small_tensors_[i], first);
    if (id == kAbsent || draw_.Chance(Uses(id) == 0 ? 0.1 : 0.4)) {
      id = Create(op, tensors_[i], small_tensors_[i], first);
    }
    if (id == kAbsent) return false;
    operands_.push_back(id);
  }
  return true;
}

ValueId GraphDraft::Apply(const OperatorRow& op) {
  const ValueId small =
      small_.Apply(op, operands_, small_attributes_, variables_, small_attributes_);
  if (small == kAbsent) return kAbsent;
  const ValueId large = large_.Apply(op, operands_, attributes_, variables_, small_attributes_);
  if (large == kAbsent) return kAbsent;
  uses_.resize(large_.values().size(), 0);
  for (const ValueId id : large_.operands(large_.nodes().back())) {
    if (id != kAbsent) ++uses_[id];
  }
  scattered_.resize(large_.values().size(), false);
  const bool scattered = LiesScattered(large_.nodes().back());
  for (int i = 0; i < large_.nodes().back().result_count; ++i) scattered_[large + i] = scattered;
  if (!AreAlike(large_.mark().nodes - 1)) return kAbsent;
  PassSizes(large_.nodes().back());
  return large;
}

bool GraphDraft::LiesScattered(const Node& node) const {
  const OperatorFamily family = node.op->family;
  if (node.op->name == "contiguous" || family == OperatorFamily::kMatmul ||
      family == OperatorFamily::kReduction) {
    return false;
  }
  // With batch_first, recurrent operators return what they have computed step by step, and
  // attention on a GPU returns what it has computed head by head.
  if (family == OperatorFamily::kRecurrent || family == OperatorFamily::kAttention) return true;
  if (family == OperatorFamily::kShape && !node.op->traits.keeps_order) return true;
  const std::span<const ValueId> operands = large_.operands(node);
  return std::any_of(operands.begin(), operands.end(), [&](ValueId id) {
    return id != kAbsent && (large_.value(id).layout != InputLayout::kContiguous || scattered_[id]);
  });
}

bool GraphDraft::AreAlike(std::size_t node) const {
  if (large_.values().size() != small_.values().size()) return false;
  for (std::size_t id = large_.values().size(); id-- > 0;) {
    const Value &large = large_.values()[id], &small = small_.values()[id];
    if (large.node != static_cast<std::int32_t>(node) || small.node != large.node) break;
    if (large.role != small.role || large.type.dtype != small.type.dtype ||
        large.type.shape.rank() != small.type.shape.rank()) {
      return false;
    }
    // torch can only train floating-point parameters.
    if (large.role == ValueRole::kParameter && !IsFloating(large.type.dtype)) return false;
  }
  return true;
}

ValueId GraphDraft::Insert(const OperatorRow& op, ValueId first) {
  if (failed_ || first == kAbsent) return kAbsent;
  // torch has no integer matrix products on a GPU.
  if (op.family == OperatorFamily::kMatmul && !IsFloating(large_.value(first).type.dtype)) {
    return kAbsent;
  }
  if (!op.sampler.bools && large_.value(first).type.dtype == DType::kBool) return kAbsent;
  if (!IsUsual(op, large_.value(first).type.shape)) return kAbsent;
  if (op.name == "view" && (large_.value(first).layout != InputLayout::kContiguous ||
                            (std::size_t(first) < scattered_.size() && scattered_[first]))) {
    return kAbsent;
  }
  const Mark before = mark();
  const Range range = large_.value(first).range, small_range = large_.value(first).small_range;
  const std::uint64_t seed = draw_.Next();
  Draw at_large(seed), at_small(seed);
  const TensorType* large_type = &large_.value(first).type;
  const TensorType* small_type = &small_.value(first).type;
  if (!op.DrawAttributes(&at_large, std::span(&large_type, 1), &attributes_) ||
      !op.DrawAttributes(&at_small, std::span(&small_type, 1), &small_attributes_)) {
    return kAbsent;
  }
  Reconcile(op);
  if (IsForeseeable(op, attributes_, large_.value(first))) return kAbsent;
  operands_.assign(1, first);
  uses_.resize(large_.values().size(), 0);
  ValueId result = kAbsent;
  if (CompleteOperands(op, first)) result = Apply(op);
  if (result != kAbsent && !MeetsDemand(result)) result = kAbsent;
  if (result != kAbsent && AsksForTruth(op)) {
    const std::int64_t of = large_.value(first).type.shape.Elements();
    if (Uses(first) > 1 || of / large_.value(result).type.shape.Elements() > kMostOfTruth) {
      result = kAbsent;
    }
  }
  if (result == kAbsent) {
    Rewind(before);
    large_.SetRange(first, range, small_range);
    small_.SetRange(first, small_range, small_range);
  }
  return result;
}

ValueId GraphDraft::Create(const OperatorRow& op) {
  const std::uint64_t seed = draw_.Next();
  Draw at_large(seed), at_small(seed);
  if (!op.DrawAttributes(&at_large, {}, &attributes_) ||
      !op.DrawAttributes(&at_small, {}, &small_attributes_)) {
    return kAbsent;
  }
  Reconcile(op);
  operands_.clear();
  return Apply(op);
}

ValueId GraphDraft::InputLike(ValueId id) {
  const TensorType type = large_.value(id).type, small = small_.value(id).type;
  const Range range = IsFloating(type.dtype)       ? Range::Normal(1)
                      : type.dtype == DType::kBool ? Range{0, 1, 0.70710678}
                                                   : Range::Uniform(0, 9);
  return Create(*FindOperator("add"), {type, range}, {small, range}, id);
}

std::pair<ValueId, ValueId> GraphDraft::CutAt(ValueId x, int dim, std::int16_t size) {
  const ValueId first = Call("slice", {x}, {{"dim", dim}, DraftArgument::Size("stop", size)});
  const ValueId second = Call("slice", {x}, {{"dim", dim}, DraftArgument::Size("start", size)});
  return {Bind(first, dim, size), second};
}

ValueId GraphDraft::Bind(ValueId id, int dimension, std::int16_t variable) {
  if (id == kAbsent) return id;
  large_.BindSize(id, dimension < 0 ? dimension + rank(id) : dimension, variable);
  return id;
}

ValueId GraphDraft::Call(std::string_view name, std::initializer_list<ValueId> operands,
                         std::initializer_list<DraftArgument> arguments, std::string_view member) {
  const OperatorRow* op = failed_ ? nullptr : FindOperator(name);
  failed_ = op == nullptr;
  if (failed_) return kAbsent;
  attributes_.clear();
  small_attributes_.clear();
  variables_.assign(op->attributes.size(), kNoVariable);
  for (std::size_t i = 0; i < op->attributes.size(); ++i) {
    const AttributeRow& row = op->attributes[i];
    attributes_.push_back(row.name == "training" ? Attribute::Flag(true) : row.default_value);
    small_attributes_.push_back(attributes_.back());
    for (const DraftArgument& argument : arguments) {
      if (argument.name != row.name) continue;
      if (argument.variable != kNoVariable) {
        const SizeVariable& size = large_.sizes()[argument.variable];
        const bool is_size = row.kind == Attribute::Kind::kSize;
        const bool tuple = row.kind == Attribute::Kind::kIntegers;
        const auto of = [&](std::int64_t value) {
          return is_size ? Attribute::Size(value)
                 : tuple ? Attribute::Integers(std::span(&value, 1))
                         : Attribute::Integer(value);
        };
        attributes_.back() = of(size.value);
        small_attributes_.back() = of(size.small);
        if (!tuple) variables_[i] = argument.variable;
      } else {
        attributes_.back() = argument.large;
        small_attributes_.back() = argument.small;
      }
    }
  }
  operands_.assign(operands.begin(), operands.end());
  uses_.resize(large_.values().size(), 0);
  const ValueId result = Apply(*op);
  failed_ = result == kAbsent;
  if (!failed_ && !member.empty()) {
    names_.nodes.resize(large_.nodes().size());
    names_.nodes.back() = member;
  }
  return result;
}

bool GraphDraft::Finish(bool all) {
  if (failed_) return false;
  uses_.resize(large_.values().size(), 0);
  for (std::size_t i = 0; i < large_.nodes().size(); ++i) {
    const Node& node = large_.nodes()[i];
    bool used = false;
    for (int j = 0; j < node.result_count; ++j) used = used || uses_[node.first_result + j] > 0;
    for (int j = 0; j < node.result_count; ++j) {
      const ValueId id = node.first_result + j;
      if (uses_[id] == 0 && (all || (j == 0 && !used))) AddOutput(id);
    }
  }
  large_.SetOutputs(outputs_);
  small_.SetOutputs(outputs_);
  return !outputs_.empty();
}

void GraphDraft::AddOutput(ValueId id) {
  if (std::find(outputs_.begin(), outputs_.end(), id) == outputs_.end()) outputs_.push_back(id);
}

}  // namespace kernelmill
