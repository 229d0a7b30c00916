#include "corpora/operators/operator_graph.h"

#include <cmath>

#include "corpora/operators/canonical_hash.h"

namespace kernelmill {
namespace {

// The values with which torch.nn initializes a module's own tensors.
Range InitialRange(const OperatorRow& op, const OperandRow& operand, const TensorType& type,
                   const Range* weight) {
  if (operand.role == OperandRow::Role::kBuffer) {
    return operand.name == "running_var" ? Range{1, 1, 1} : Range{0, 0, 0};
  }
  if (op.family == OperatorFamily::kEmbedding) return {-7, 7, 1};
  if (type.shape.rank() <= 1 && op.family == OperatorFamily::kNorm) {
    return operand.name == "bias" ? Range{0, 0, 0} : Range{1, 1, 1};
  }
  if (op.family == OperatorFamily::kActivation) return {0.25, 0.25, 0.25};  // PReLU's parameter.
  if (type.shape.rank() <= 1 && weight != nullptr)
    return *weight;  // Drawn like the weight before it.
  const std::int64_t inputs =
      type.shape.rank() == 0 ? 1 : type.shape.Elements() / std::max<std::int64_t>(1, type.shape[0]);
  const double bound = 1 / std::sqrt(double(std::max<std::int64_t>(1, inputs)));
  return {-bound, bound, bound / std::sqrt(3.0)};
}

// The default range rule: results have the hull of the operands' ranges.
Range Hull(std::span<const Range> ranges) {
  if (ranges.empty()) return {};
  Range hull = ranges[0];
  for (const Range& range : ranges.subspan(1)) {
    hull.low = std::min(hull.low, range.low);
    hull.high = std::max(hull.high, range.high);
    hull.scale = std::max(hull.scale, range.scale);
  }
  return hull;
}

}  // namespace

void OperatorGraph::Clear() {
  sizes_.clear();
  values_.clear();
  nodes_.clear();
  operands_.clear();
  attributes_.clear();
  small_attributes_.clear();
  attribute_variables_.clear();
  outputs_.clear();
}

std::int16_t OperatorGraph::AddSize(const SizeVariable& size) {
  sizes_.push_back(size);
  return static_cast<std::int16_t>(sizes_.size() - 1);
}

ValueId OperatorGraph::AddInput(DType dtype, std::span<const std::int16_t> variables,
                                const Range& range, InputLayout layout) {
  TensorType type{dtype, {}};
  for (const std::int16_t variable : variables) type.shape.Append(sizes_[variable].value);
  return AddValue(type, ValueRole::kInput, range, variables, layout);
}

ValueId OperatorGraph::AddValue(const TensorType& type, ValueRole role, const Range& range,
                                std::span<const std::int16_t> variables, InputLayout layout) {
  Value value{type, role, layout, -1, range, range, {}};
  value.variables.fill(kNoVariable);
  std::copy_n(variables.begin(), std::min<std::size_t>(variables.size(), kMaxRank),
              value.variables.begin());
  values_.push_back(value);
  return static_cast<ValueId>(values_.size() - 1);
}

void OperatorGraph::RebindSizes(std::int16_t from, std::int16_t to) {
  for (Value& value : values_) {
    std::replace(value.variables.begin(), value.variables.end(), from, to);
  }
}

OperatorUse OperatorGraph::UseOf(std::span<const ValueId> operands,
                                 std::span<const Attribute> attributes) const {
  use_.clear();
  for (const ValueId id : operands) {
    use_.push_back(id == kAbsent ? nullptr : &values_[id].type);
  }
  return {use_, attributes};
}

ValueId OperatorGraph::Apply(const OperatorRow& op, std::span<const ValueId> operands,
                             std::span<const Attribute> attributes,
                             std::span<const std::int16_t> size_variables,
                             std::span<const Attribute> small_attributes) {
  const std::size_t values_before = values_.size();
  const auto refuse = [&] {
    values_.resize(values_before);
    return kAbsent;
  };
  applied_.assign(operands.begin(), operands.end());
  while (applied_.size() < op.operands.size() &&
         op.operands[applied_.size()].role == OperandRow::Role::kOptional) {
    applied_.push_back(kAbsent);
  }
  if (op.parameters != nullptr && applied_.size() < op.operands.size()) {
    types_.clear();
    if (!op.parameters(UseOf(applied_, attributes), &types_)) return refuse();
    const auto node = static_cast<std::int32_t>(nodes_.size());
    const Range* weight = nullptr;
    Range weight_range;
    for (const TensorType& type : types_) {
      const OperandRow& operand = op.operands[std::min(applied_.size(), op.operands.size() - 1)];
      const ValueRole role =
          operand.role == OperandRow::Role::kBuffer ? ValueRole::kBuffer : ValueRole::kParameter;
      const Range range = InitialRange(op, operand, type, weight);
      if (weight == nullptr) {
        weight_range = range;
        weight = &weight_range;
      }
      const ValueId id = AddValue(type, role, range);
      values_[id].node = node;
      applied_.push_back(id);
    }
  }

  const OperatorUse use = UseOf(applied_, attributes);
  types_.clear();
  if (!op.infer(use, &types_) || types_.empty()) return refuse();
  bool known = true;
  operand_ranges_.clear();
  for (const ValueId id : applied_) {
    operand_ranges_.push_back(id == kAbsent ? Range{} : values_[id].range);
    known = known && std::isfinite(operand_ranges_.back().low) &&
            std::isfinite(operand_ranges_.back().high);
  }
  ranges_.clear();
  if (known && op.range != nullptr) {
    if (!op.range(use, operand_ranges_, &ranges_)) return refuse();
  }
  ranges_.resize(types_.size(), !known                ? kAnyValue
                                : op.range == nullptr ? Hull(operand_ranges_)
                                : ranges_.empty()     ? Range{}
                                                      : ranges_.back());

  Node node;
  node.op = &op;
  node.first_operand = static_cast<std::int32_t>(operands_.size());
  node.operand_count = static_cast<std::int32_t>(applied_.size());
  node.first_attribute = static_cast<std::int32_t>(attributes_.size());
  node.first_result = static_cast<ValueId>(values_.size());
  node.result_count = static_cast<std::int32_t>(types_.size());
  operands_.insert(operands_.end(), applied_.begin(), applied_.end());
  attributes_.insert(attributes_.end(), attributes.begin(), attributes.end());
  if (small_attributes.empty()) small_attributes = attributes;
  small_attributes_.insert(small_attributes_.end(), small_attributes.begin(),
                           small_attributes.end());
  attribute_variables_.insert(attribute_variables_.end(), size_variables.begin(),
                              size_variables.end());
  attribute_variables_.resize(attributes_.size(), kNoVariable);
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const ValueId id = AddValue(types_[i], ValueRole::kResult, ranges_[i]);
    values_[id].node = static_cast<std::int32_t>(nodes_.size());
  }
  nodes_.push_back(node);
  return node.first_result;
}

void OperatorGraph::SetOutputs(std::span<const ValueId> outputs) {
  outputs_.assign(outputs.begin(), outputs.end());
}

std::span<const ValueId> OperatorGraph::operands(const Node& node) const {
  return std::span(operands_).subspan(node.first_operand, node.operand_count);
}

std::span<const Attribute> OperatorGraph::attributes(const Node& node) const {
  return std::span(attributes_).subspan(node.first_attribute, node.op->attributes.size());
}

std::span<const std::int16_t> OperatorGraph::size_variables(const Node& node) const {
  return std::span(attribute_variables_).subspan(node.first_attribute, node.op->attributes.size());
}

std::span<const Attribute> OperatorGraph::small_attributes(const Node& node) const {
  return std::span(small_attributes_).subspan(node.first_attribute, node.op->attributes.size());
}

OperatorGraph::Mark OperatorGraph::mark() const {
  return {sizes_.size(), values_.size(), nodes_.size(), operands_.size(), attributes_.size()};
}

void OperatorGraph::Rewind(const Mark& mark) {
  sizes_.resize(mark.sizes);
  values_.resize(mark.values);
  nodes_.resize(mark.nodes);
  operands_.resize(mark.operands);
  attributes_.resize(mark.attributes);
  small_attributes_.resize(mark.attributes);
  attribute_variables_.resize(mark.attributes);
}

OperatorCost OperatorGraph::Cost(const Node& node) const {
  types_.clear();
  OperatorCost moved;
  for (const ValueId id : operands(node)) {
    if (id != kAbsent) moved.bytes += values_[id].type.Bytes();
  }
  for (int i = 0; i < node.result_count; ++i) {
    types_.push_back(values_[node.first_result + i].type);
    moved.bytes += types_.back().Bytes();
  }
  if (node.op->cost == nullptr) return moved;
  return node.op->cost(UseOf(operands(node), attributes(node)), types_);
}

OperatorCost OperatorGraph::Cost() const {
  OperatorCost cost;
  for (const Node& node : nodes_) {
    const OperatorCost one = Cost(node);
    cost.flops += one.flops;
    cost.bytes += one.bytes;
  }
  return cost;
}

namespace {

// Sets a tuple of sizes: those that are variables get their new values.
void Resize(const OperatorGraph& graph, std::span<const std::int64_t> large,
            std::span<const std::int64_t> small, std::span<const std::int64_t> sizes,
            Attribute* attribute) {
  std::array<std::int64_t, Attribute::kMaxIntegers> resized;
  const std::size_t count = attribute->integers().size();
  std::copy_n(attribute->integers().begin(), count, resized.begin());
  if (large.size() != count || small.size() != count) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (large[i] == small[i]) continue;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const SizeVariable& size = graph.sizes()[j];
      if (size.value != large[i] || size.small != small[i]) continue;
      resized[i] = sizes[j];
      break;
    }
  }
  *attribute = Attribute::Integers(std::span(resized).first(count));
}

// Builds the same graph at other sizes. `small` selects the attributes for small sizes.
bool Replay(const OperatorGraph& graph, std::vector<std::int64_t> sizes, bool small,
            std::span<const SizeLink> links, OperatorGraph* result) {
  result->Clear();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    SizeVariable size = graph.sizes()[i];
    size.value = sizes[i];
    result->AddSize(size);
  }
  std::vector<ValueId> operands;
  std::vector<Attribute> attributes;
  // Values have the same ids in the result: a node's own parameters come directly before its
  // results.
  for (std::size_t id = 0; id < graph.values().size();) {
    for (; !links.empty() && links[0].source < static_cast<ValueId>(id); links = links.subspan(1)) {
      sizes[links[0].variable] = result->value(links[0].source).type.shape[links[0].dimension];
    }
    const Value& value = graph.value(static_cast<ValueId>(id));
    if (value.node < 0) {
      TensorType type = value.type;
      for (int i = 0; i < type.shape.rank(); ++i) {
        if (value.variables[i] != kNoVariable) type.shape[i] = sizes[value.variables[i]];
      }
      const std::span<const std::int16_t> variables(value.variables.data(), type.shape.rank());
      const Range& range = small ? value.small_range : value.range;
      const ValueId same = result->AddValue(type, value.role, range, variables, value.layout);
      result->SetRange(same, range, value.small_range);
      ++id;
      continue;
    }
    const Node& node = graph.nodes()[value.node];
    operands.clear();
    for (const ValueId operand : graph.operands(node)) {
      if (operand >= static_cast<ValueId>(id)) break;
      operands.push_back(operand);
    }
    const std::span<const Attribute> given =
        small ? graph.small_attributes(node) : graph.attributes(node);
    attributes.assign(given.begin(), given.end());
    const std::span<const std::int16_t> variables = graph.size_variables(node);
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (variables[i] == kNoVariable) {
        if (attributes[i].kind() == Attribute::Kind::kIntegers) {
          Resize(graph, graph.attributes(node)[i].integers(),
                 graph.small_attributes(node)[i].integers(), sizes, &attributes[i]);
        }
        continue;
      }
      const std::int64_t size = sizes[variables[i]];
      attributes[i] = attributes[i].kind() == Attribute::Kind::kSize ? Attribute::Size(size)
                                                                     : Attribute::Integer(size);
    }
    if (result->Apply(*node.op, operands, attributes, variables, graph.small_attributes(node)) !=
        node.first_result) {
      return false;
    }
    id = node.first_result + node.result_count;
    if (result->values().size() != id) return false;
  }
  result->SetOutputs(graph.outputs());
  return true;
}

}  // namespace

bool AtSmallSizes(const OperatorGraph& graph, OperatorGraph* result) {
  std::vector<std::int64_t> sizes;
  for (const SizeVariable& size : graph.sizes()) sizes.push_back(size.small);
  return Replay(graph, std::move(sizes), /*small=*/true, {}, result);
}

bool AtSizes(const OperatorGraph& graph, std::span<const std::int64_t> values,
             OperatorGraph* result, std::span<const SizeLink> links) {
  return Replay(graph, {values.begin(), values.end()}, /*small=*/false, links, result);
}

void FollowFormulas(const OperatorGraph& graph, std::span<std::int64_t> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SizeFormula& formula = graph.sizes()[i].formula;
    if (formula.is_given()) values[i] = formula.Value(values);
  }
}

Digest CanonicalHash(const OperatorGraph& graph, bool shapes) {
  return CanonicalHasher().Hash(graph, shapes);
}

}  // namespace kernelmill
