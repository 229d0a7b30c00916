#include "stages/capture/graph_capture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

#include "corpora/operators/called_name.h"
#include "corpora/operators/operator_table.h"
#include "stages/capture/operator_binding.h"

namespace kernelmill {
namespace {

// Calls whose result is their first operand, unchanged.
constexpr std::string_view kSame[] = {"contiguous", "detach",        "clone", "requires_grad_",
                                      "data",       "requires_grad", "cpu",   "cuda"};

// Calls that make a tensor of nothing but numbers; and those whose numbers are random.
constexpr std::string_view kConstants[] = {
    "arange", "empty", "eye",       "full",     "linspace", "new",        "ones",
    "tensor", "zeros", "new_empty", "new_full", "new_ones", "new_tensor", "new_zeros"};
constexpr std::string_view kRandom[] = {"rand", "randint", "randn", "randperm", "normal"};

template <std::size_t count>
bool IsOneOf(std::string_view name, const std::string_view (&names)[count]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::vector<const OperatorRow*> RowsOf(std::string_view function) {
  std::vector<const OperatorRow*> rows;
  const auto add = [&](std::string_view spelling) {
    for (const OperatorRow* row : OperatorsSpelled(spelling)) {
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
  };
  add(function);
  const std::string name = CalledName(function);
  for (const char* prefix :
       {"torch.", "torch.Tensor.", "torch.nn.functional.", "torch.special.", "torch.linalg."}) {
    add(prefix + name);
  }
  return rows;
}

// As graphs say it; what they cannot say is as good as contiguous.
InputLayout LayoutOf(const Shape& shape, const std::vector<std::int64_t>& stride) {
  const auto rank = static_cast<std::size_t>(shape.rank());
  if (stride.size() != rank) return InputLayout::kContiguous;
  // Whether it is dense with its dimensions in this order, where `step` apart.
  const auto lies = [&](const std::vector<int>& order, std::int64_t step) {
    for (std::size_t i = rank; i-- > 0; step *= shape[order[i]]) {
      if (shape[order[i]] != 1 && stride[order[i]] != step) return false;
    }
    return true;
  };
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (lies(order, 1)) return InputLayout::kContiguous;
  if (lies(order, 2)) return InputLayout::kSliced;
  if (rank < 2) return InputLayout::kContiguous;
  std::swap(order[rank - 2], order[rank - 1]);
  if (lies(order, 1)) return InputLayout::kTransposed;
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return lies(order, 1) ? InputLayout::kChannelsLast : InputLayout::kContiguous;
}

class Capture {
 public:
  explicit Capture(CapturedRun run)
      : run_(std::move(run)), ids_(run_.values.size(), kAbsent), zeros_(run_.values.size()) {}

  GraphCapture Run() {
    if (!run_.KeepWhatOutputsNeed()) {
      result_.unfit = "a value is read after its memory was written to under another name";
    }
    for (const CapturedCall& call : run_.calls) Take(call);
    if (result_.complete()) SetOutputs();
    result_.names.resize(result_.graph.values().size());
    return std::move(result_);
  }

 private:
  void Take(const CapturedCall& call) {
    if (IsSame(call) || IsCopy(call) || IsConstant(call)) return;
    const std::vector<const OperatorRow*> rows = RowsOf(call.function);
    const std::string name = CalledName(call.function);
    if (rows.empty() && name != "getitem") {
      const auto known = std::find(result_.unknown.begin(), result_.unknown.end(), call.function);
      if (known == result_.unknown.end()) result_.unknown.push_back(call.function);
      return;
    }
    // Without its operands it cannot be applied; it is only named.
    if (!result_.complete()) return;
    for (const OperatorRow* row : rows) {
      if (Applied(call, *row)) return;
    }
    if (name == "getitem" && Indexed(call)) return;
    Unfit(call, "with arguments that the table does not have");
  }

  void Unfit(const CapturedCall& call, std::string_view why) {
    if (result_.unfit.empty()) result_.unfit = call.function + " " + std::string(why);
  }

  // The first operand where the call gives nothing else than that.
  bool IsSame(const CapturedCall& call) {
    if (call.results.size() != 1 || call.arguments.empty()) return false;
    const std::vector<int> first = ValuesIn(call.arguments.front().value);
    if (first.size() != 1) return false;
    const CapturedValue& from = run_.values[first[0]];
    const CapturedValue& to = run_.values[call.results[0]];
    const std::string name = CalledName(call.function);
    const bool same =
        IsOneOf(name, kSame) ||
        ((name == "to" || name == "float" || name == "type_as") && from.type == to.type) ||
        (name.find("dropout") != name.npos && IsIdle(call));
    if (!same || !from.type || from.type != to.type) return false;
    ids_[call.results[0]] = IdOf(first[0]);
    return true;
  }

  // x.copy_(y): from here on x is y.
  bool IsCopy(const CapturedCall& call) {
    if (CalledName(call.function) != "copy" || call.arguments.size() < 2) return false;
    const std::vector<int> from = ValuesIn(call.arguments[1].value);
    if (from.size() != 1 || call.results.size() != 1) return false;
    if (run_.values[from[0]].type != run_.values[call.results[0]].type) return false;
    ids_[call.results[0]] = IdOf(from[0]);
    return true;
  }

  // A tensor of given numbers is no operator's result but a constant of the module's.
  bool IsConstant(const CapturedCall& call) {
    const std::string name = CalledName(call.function);
    const bool random = IsOneOf(name, kRandom);
    if (!random && !IsOneOf(name, kConstants)) return false;
    if (random) Unfit(call, "draws numbers of its own");
    for (const int result : call.results) {
      run_.values[result].role = CapturedValue::Role::kBuffer;
      zeros_[static_cast<std::size_t>(result)] = name == "zeros";
    }
    return true;
  }

  // dropout() outside of training, or of nothing.
  static bool IsIdle(const CapturedCall& call) {
    for (std::size_t i = 1; i < call.arguments.size(); ++i) {
      const auto& [name, value, is_default] = call.arguments[i];
      if (name == "training" && value == Json(false)) return true;
      if (name == "p" && (value.is_int() || value.is_double()) && value.as_double() == 0)
        return true;
    }
    return false;
  }

  // The graph's value for one of the run's; those that nothing has made are its inputs and
  // parameters.
  ValueId IdOf(int value) {
    if (ids_[value] != kAbsent || !run_.values[value].type) return ids_[value];
    const CapturedValue& captured = run_.values[value];
    ValueRole role = ValueRole::kInput;
    if (captured.role == CapturedValue::Role::kParameter) role = ValueRole::kParameter;
    if (captured.role == CapturedValue::Role::kBuffer ||
        captured.role == CapturedValue::Role::kConstant) {
      role = ValueRole::kBuffer;
    }
    constexpr Range kUnknown{-HUGE_VAL, HUGE_VAL, 1};
    const InputLayout layout = role == ValueRole::kInput
                                   ? LayoutOf(captured.type->shape, captured.stride)
                                   : InputLayout::kContiguous;
    ids_[value] = result_.graph.AddValue(*captured.type, role, kUnknown, {}, layout);
    result_.names.resize(result_.graph.values().size());
    result_.names[ids_[value]] = captured.name;
    return ids_[value];
  }

  // Whether the row gives the types that torch has given.
  bool Agrees(const CapturedCall& call, const OperatorRow& row,
              const std::vector<ValueId>& operands, const std::vector<Attribute>& attributes) {
    std::vector<const TensorType*> types;
    for (const ValueId id : operands) {
      types.push_back(id == kAbsent ? nullptr : &result_.graph.value(id).type);
    }
    std::vector<TensorType> results;
    if (!row.infer({types, attributes}, &results) || call.results.size() > results.size()) {
      return false;
    }
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      if (run_.values[call.results[i]].type != results[i]) return false;
    }
    return true;
  }

  bool Applied(const CapturedCall& call, const OperatorRow& row) {
    const std::optional<BoundCall> bound = Bind(call, row, run_.values);
    if (!bound) return false;
    std::vector<ValueId> operands;
    for (const int value : bound->operands) {
      // nn.LSTM and its like make states of zeros where none are given.
      const bool absent = value == kAbsent || (row.family == OperatorFamily::kRecurrent &&
                                               zeros_[static_cast<std::size_t>(value)]);
      operands.push_back(absent ? kAbsent : IdOf(value));
    }
    if (!Agrees(call, row, operands, bound->attributes)) return false;
    const ValueId first = result_.graph.Apply(row, operands, bound->attributes);
    if (first == kAbsent) return false;
    for (std::size_t i = 0; i < call.results.size(); ++i) ids_[call.results[i]] = first + int(i);
    return true;
  }

  // One step of x[…]: a row on the value that the steps before have made.
  bool Step(std::string_view row, std::vector<Attribute> attributes, ValueId* value) {
    const OperatorRow* const op = FindOperator(row);
    if (op == nullptr || attributes.size() != op->attributes.size()) return false;
    *value = result_.graph.Apply(*op, std::array{*value}, attributes);
    return *value != kAbsent;
  }

  // x[1:3, :, 0, None, ...]: views along one dimension each.
  bool Indexed(const CapturedCall& call) {
    if (call.arguments.size() != 2 || call.results.size() != 1) return false;
    const std::vector<int> from = ValuesIn(call.arguments[0].value);
    if (from.size() != 1 || !run_.values[from[0]].type) return false;
    const Json& index = call.arguments[1].value;
    const Json::Array entries = index.is_array() ? index.as_array() : Json::Array{index};
    ValueId value = IdOf(from[0]);
    std::int64_t taken = 0;
    for (const Json& entry : entries) taken += entry.is_int() || entry.Find("slice") != nullptr;
    int dim = 0;
    for (const Json& entry : entries) {
      if (!TakeEntry(entry, taken, &value, &dim)) return false;
    }
    if (result_.graph.value(value).type != run_.values[call.results[0]].type) return false;
    ids_[call.results[0]] = value;
    return true;
  }

  bool TakeEntry(const Json& entry, std::int64_t taken, ValueId* value, int* dim) {
    const Shape shape = result_.graph.value(*value).type.shape;
    if (entry.is_null()) return Step("unsqueeze", {Attribute::Integer((*dim)++)}, value);
    if (entry.Find("ellipsis") != nullptr) {
      *dim += shape.rank() - *dim - static_cast<int>(taken);
      return *dim >= 0;
    }
    if (*dim >= shape.rank()) return false;
    if (entry.is_int()) {
      return Step("select", {Attribute::Integer(*dim), Attribute::Integer(entry.as_int())}, value);
    }
    const Json* const slice = entry.Find("slice");
    if (slice == nullptr || !slice->is_array() || slice->as_array().size() != 3) return false;
    const auto bound = [&](std::size_t i, std::int64_t otherwise) {
      const Json& at = slice->as_array()[i];
      if (!at.is_int()) return otherwise;
      const std::int64_t from_start = at.as_int() < 0 ? at.as_int() + shape[*dim] : at.as_int();
      return std::clamp<std::int64_t>(from_start, 0, shape[*dim]);
    };
    const Json& step = slice->as_array()[2];
    if (!step.is_null() && !step.is_int()) return false;
    const std::int64_t start = bound(0, 0), end = bound(1, shape[*dim]);
    const int along = (*dim)++;
    if (step.is_int() && step != Json(1)) {
      const Attribute last = end == shape[along] ? Attribute() : Attribute::Integer(end);
      return step.as_int() > 0 && end > start &&
             Step("slice",
                  {Attribute::Integer(along), Attribute::Integer(start), last,
                   Attribute::Integer(step.as_int())},
                  value);
    }
    if (start == 0 && end == shape[along]) return true;
    return end > start && Step("narrow",
                               {Attribute::Integer(along), Attribute::Integer(start),
                                Attribute::Integer(end - start)},
                               value);
  }

  void SetOutputs() {
    std::vector<ValueId> outputs;
    for (const int output : run_.outputs) {
      if (run_.values[output].role == CapturedValue::Role::kConstant) {
        result_.unfit = "an output that no operator of torch has made";
        return;
      }
      outputs.push_back(IdOf(output));
    }
    result_.graph.SetOutputs(outputs);
  }

  CapturedRun run_;
  std::vector<ValueId> ids_;  // By the run's values.
  std::vector<bool> zeros_;   // By the run's values: made of nothing but zeros.
  GraphCapture result_;
};

}  // namespace

GraphCapture CaptureGraph(CapturedRun run) { return Capture(std::move(run)).Run(); }

}  // namespace kernelmill
