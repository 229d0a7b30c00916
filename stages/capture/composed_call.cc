#include "stages/capture/composed_call.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "corpora/operators/operator_table.h"

namespace kernelmill {
namespace {

bool IsTensor(const Json& argument) { return argument.Find("value") != nullptr; }

// Adds a chain of operators to the graph, starting from one value.
class NodeChain {
 public:
  NodeChain(OperatorGraph* graph, ValueId value) : graph_(*graph), value_(value) {}

  ValueId value() const { return value_; }
  const TensorType& type() const { return graph_.value(value_).type; }

  bool Take(std::string_view row, std::vector<Attribute> attributes,
            std::vector<ValueId> more = {}) {
    const OperatorRow* const op = FindOperator(row);
    if (op == nullptr || attributes.size() != op->attributes.size()) return false;
    more.insert(more.begin(), value_);
    value_ = graph_.Apply(*op, more, attributes);
    return value_ != kAbsent;
  }

  bool Reshape(const Shape& shape) {
    return Take("reshape", {Attribute::Integers(shape.sizes())});
  }

 private:
  OperatorGraph& graph_;
  ValueId value_;
};

// Translates x[1:3, :, 0, None, ..., indices] to one operator per entry, each along one dimension.
class Indexing {
 public:
  Indexing(const ComposedCall& call, OperatorGraph* graph)
      : call_(call), graph_(*graph), chain_(graph, call.operands[0]) {}

  ValueId Run() {
    const Json& index = call_.call.arguments[1].value;
    const Json::Array entries =
        index.is_array() && !IsTensor(index) ? index.as_array() : Json::Array{index};
    std::int64_t tensors = 0;
    for (const Json& entry : entries) {
      tensors += IsTensor(entry);
      taken_ += entry.is_int() || entry.Find("slice") != nullptr || IsTensor(entry);
    }
    // Two index tensors would be broadcast together, and an integer beside one moves its dimension
    // to the front.
    const bool numbers = std::any_of(entries.begin(), entries.end(),
                                     [](const Json& entry) { return entry.is_int(); });
    if (tensors > 1 || (tensors == 1 && numbers)) return kAbsent;
    for (const Json& entry : entries) {
      if (!TakeEntry(entry)) return kAbsent;
    }
    return chain_.value();
  }

 private:
  bool TakeEntry(const Json& entry) {
    const Shape shape = chain_.type().shape;
    if (entry.is_null()) return chain_.Take("unsqueeze", {Attribute::Integer(dim_++)});
    if (entry.Find("ellipsis") != nullptr) {
      dim_ += shape.rank() - dim_ - static_cast<int>(taken_);
      return dim_ >= 0;
    }
    if (dim_ >= shape.rank()) return false;
    --taken_;
    if (entry.is_int()) {
      return chain_.Take("select", {Attribute::Integer(dim_), Attribute::Integer(entry.as_int())});
    }
    if (IsTensor(entry)) return TakeIndices();
    const Json* const slice = entry.Find("slice");
    return slice != nullptr && slice->is_array() && slice->as_array().size() == 3 &&
           TakeSlice(slice->as_array(), shape);
  }

  // Indices of several dimensions are flattened for the selection, and the result gets their shape.
  bool TakeIndices() {
    if (call_.operands.size() != 2) return false;
    NodeChain indices(&graph_, call_.operands[1]);
    const TensorType type = indices.type();
    if (type.dtype != DType::kInt64 && type.dtype != DType::kInt32) return false;
    const Shape before = chain_.type().shape;
    if (type.shape.rank() != 1 && !indices.Reshape({type.shape.Elements()})) return false;
    if (!chain_.Take("index_select", {Attribute::Integer(dim_)}, {indices.value()})) return false;
    if (type.shape.rank() != 1) {
      Shape shape;
      for (int d = 0; d < before.rank(); ++d) {
        if (d != dim_) shape.Append(before[d]);
        for (int k = 0; d == dim_ && k < type.shape.rank(); ++k) shape.Append(type.shape[k]);
      }
      if (!chain_.Reshape(shape)) return false;
    }
    dim_ += type.shape.rank();
    return true;
  }

  bool TakeSlice(const Json::Array& slice, const Shape& shape) {
    const auto bound = [&](std::size_t i, std::int64_t otherwise) {
      const Json& at = slice[i];
      if (!at.is_int()) return otherwise;
      const std::int64_t from_start = at.as_int() < 0 ? at.as_int() + shape[dim_] : at.as_int();
      return std::clamp<std::int64_t>(from_start, 0, shape[dim_]);
    };
    for (const Json& part : slice) {
      if (!part.is_null() && !part.is_int()) return false;
    }
    const std::int64_t start = bound(0, 0), end = bound(1, shape[dim_]),
                       step = slice[2].is_int() ? slice[2].as_int() : 1;
    const int along = dim_++;
    const bool bounded = call_.keeps_whole && (slice[0].is_int() || slice[1].is_int());
    if (step == 1 && start == 0 && end == shape[along] && !bounded) return true;
    if (step < 1 || end <= start) return false;
    // The bounds stay as written; Python clamps them to any size.
    const auto given = [&](std::size_t i) {
      return slice[i].is_int() ? Attribute::Integer(slice[i].as_int()) : Attribute();
    };
    return chain_.Take("slice",
                       {Attribute::Integer(along), given(0), given(1), Attribute::Integer(step)});
  }

  const ComposedCall& call_;
  OperatorGraph& graph_;
  NodeChain chain_;
  std::int64_t taken_ = 0;  // Dimensions that the remaining entries consume.
  int dim_ = 0;
};

// Each result is one of the operands, expanded over the dimensions of the others.
std::vector<ValueId> Meshgrid(const ComposedCall& call, OperatorGraph* graph) {
  const int rank = static_cast<int>(call.operands.size());
  bool columns_first = false;
  for (const CapturedArgument& argument : call.call.arguments) {
    columns_first |= argument.value == Json("xy");
  }
  if (call.types.size() != call.operands.size()) return {};
  std::vector<ValueId> results;
  for (int i = 0; i < rank; ++i) {
    NodeChain chain(graph, call.operands[static_cast<std::size_t>(i)]);
    if (!call.types[static_cast<std::size_t>(i)] || chain.type().shape.rank() != 1) return {};
    const int at = columns_first && i < 2 && rank > 1 ? 1 - i : i;
    for (int d = 0; d < rank; ++d) {
      if (d != at && !chain.Take("unsqueeze", {Attribute::Integer(d)})) return {};
    }
    const Shape& shape = call.types[static_cast<std::size_t>(i)]->shape;
    if (!chain.Take("expand", {Attribute::Integers(shape.sizes())})) return {};
    results.push_back(chain.value());
  }
  return results;
}

// b ** x = exp(x * log(b)).
ValueId PowerOf(const ComposedCall& call, OperatorGraph* graph) {
  double base = 0;
  for (const CapturedArgument& argument : call.call.arguments) {
    if (argument.value.is_int() || argument.value.is_double()) base = argument.value.as_double();
  }
  NodeChain chain(graph, call.operands[0]);
  if (base <= 0 || !IsFloating(chain.type().dtype)) return kAbsent;
  const bool done =
      chain.Take("mul_scalar", {Attribute::Number(std::log(base))}) && chain.Take("exp", {});
  return done ? chain.value() : kAbsent;
}

ValueId Shaped(const ComposedCall& call, OperatorGraph* graph) {
  NodeChain chain(graph, call.operands[0]);
  return call.types[0] && chain.Reshape(call.types[0]->shape) ? chain.value() : kAbsent;
}

std::vector<ValueId> One(ValueId value) {
  return value == kAbsent ? std::vector<ValueId>() : std::vector<ValueId>{value};
}

}  // namespace

bool IsComposed(const CapturedCall& call, std::string_view name) {
  static constexpr std::string_view kNames[] = {"getitem", "meshgrid", "reshape_as", "view_as",
                                                "rpow"};
  // torch.pow(2.0, x): no row of the table has the number first.
  const bool power = name == "pow" && !call.arguments.empty() &&
                     ValuesIn(call.arguments.front().value).empty();
  return power || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::vector<ValueId> Compose(const ComposedCall& call, OperatorGraph* graph) {
  const bool known = std::none_of(call.operands.begin(), call.operands.end(),
                                  [](ValueId id) { return id == kAbsent; });
  if (call.operands.empty() || !known) return {};
  std::vector<ValueId> results;
  if (call.name == "getitem" && call.call.arguments.size() == 2) {
    results = One(Indexing(call, graph).Run());
  } else if (call.name == "meshgrid") {
    results = Meshgrid(call, graph);
  } else if (call.name == "rpow" || call.name == "pow") {
    results = One(PowerOf(call, graph));
  } else if (call.name == "reshape_as" || call.name == "view_as") {
    results = One(Shaped(call, graph));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (i < call.types.size() && graph->value(results[i]).type != call.types[i]) return {};
  }
  return results;
}

}  // namespace kernelmill
