#include "stages/capture/captured_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

#include "corpora/operators/called_name.h"
#include "corpora/operators/operator_table.h"
#include "manifests/is_one_of.h"
#include "stages/capture/composed_call.h"
#include "stages/capture/einsum_equation.h"
#include "stages/capture/operator_binding.h"

namespace kernelmill {
namespace {

// Calls that return their first operand unchanged.
constexpr std::string_view kIdentityCalls[] = {
    "contiguous", "detach", "clone", "requires_grad_", "data", "requires_grad", "cpu", "cuda"};

// Calls that create a tensor from numbers alone, and those that create a random one.
constexpr std::string_view kConstants[] = {
    "arange", "empty", "eye",       "full",     "linspace", "new",        "ones",
    "tensor", "zeros", "new_empty", "new_full", "new_ones", "new_tensor", "new_zeros"};
constexpr std::string_view kRandom[] = {"rand", "randint", "randn", "randperm", "normal"};
// Calls that draw random numbers for a given tensor.
constexpr std::string_view kDrawing[] = {"bernoulli",      "cauchy",     "exponential", "geometric",
                                         "gumbel_softmax", "log_normal", "multinomial", "poisson",
                                         "rand_like",      "randn_like", "randint_like", "random",
                                         "uniform"};
// Names of the argument that gives the probability of dropout.
constexpr std::string_view kDropoutParameters[] = {"p", "dropout", "dropout_p"};
constexpr std::string_view kDrawsRandomNumbers = "draws random numbers";

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

// The layout of a captured tensor in the graph's terms; contiguous if they do not express it.
InputLayout LayoutOf(const Shape& shape, const std::vector<std::int64_t>& stride) {
  const auto rank = static_cast<std::size_t>(shape.rank());
  if (stride.size() != rank) return InputLayout::kContiguous;
  // Whether the tensor is dense with its dimensions in this order and innermost stride `step`.
  const auto is_dense = [&](const std::vector<int>& order, std::int64_t step) {
    for (std::size_t i = rank; i-- > 0; step *= shape[order[i]]) {
      if (shape[order[i]] != 1 && stride[order[i]] != step) return false;
    }
    return true;
  };
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (is_dense(order, 1)) return InputLayout::kContiguous;
  if (is_dense(order, 2)) return InputLayout::kSliced;
  if (rank < 2) return InputLayout::kContiguous;
  std::swap(order[rank - 2], order[rank - 1]);
  if (is_dense(order, 1)) return InputLayout::kTransposed;
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return is_dense(order, 1) ? InputLayout::kChannelsLast : InputLayout::kContiguous;
}

class Conversion {
 public:
  Conversion(CapturedRun run, CreatedTensors created)
      : run_(std::move(run)),
        ids_(run_.values.size(), kAbsent),
        zeros_(run_.values.size()),
        makers_(run_.values.size()),
        created_(created) {}

  CapturedGraph Run() {
    if (!run_.KeepWhatOutputsNeed()) {
      result_.unfit = "a value is read after its memory was written to under another name";
    }
    for (const CapturedCall& call : run_.calls) {
      const std::size_t nodes = result_.graph.nodes().size();
      if (!AddCall(call)) continue;
      if (nodes == result_.graph.nodes().size()) {
        result_.operators.push_back(CalledName(call.function));
      }
      for (std::size_t i = nodes; i < result_.graph.nodes().size(); ++i) {
        result_.operators.emplace_back(result_.graph.nodes()[i].op->name);
      }
    }
    if (result_.complete()) SetOutputs();
    result_.names.resize(result_.graph.values().size());
    result_.is_plain_attribute.resize(result_.graph.values().size());
    return std::move(result_);
  }

 private:
  // Adds the call to the graph. Returns false if the call only gives an existing value another
  // name, so that it is not listed among the operators.
  bool AddCall(const CapturedCall& call) {
    if (ReturnsOperand(call) || IsCopy(call)) return false;
    if (IsConstant(call)) return created_ == CreatedTensors::kAsBuffers;
    const std::string name = CalledName(call.function);
    const bool composed = IsComposed(call, name);
    const std::vector<const OperatorRow*> rows =
        composed && name != "getitem" ? std::vector<const OperatorRow*>() : RowsOf(call.function);
    if (DrawsNumbers(call, name)) SetUnfit(call, kDrawsRandomNumbers);
    if (rows.empty() && !composed) {
      const auto known = std::find(result_.unknown.begin(), result_.unknown.end(), call.function);
      if (known == result_.unknown.end()) result_.unknown.push_back(call.function);
      return true;
    }
    // Once the graph is incomplete, later calls may lack operands, so they are only listed by name.
    if (!result_.complete()) return true;
    const CapturedCall known = name == "einsum" ? WithKnownEquation(call) : call;
    for (const OperatorRow* row : rows) {
      if (AddOperator(known, *row)) return true;
    }
    if (composed && AddComposed(call, name)) return true;
    SetUnfit(call, "with arguments that the table does not have");
    return true;
  }

  void SetUnfit(const CapturedCall& call, std::string_view why) {
    if (result_.unfit.empty()) result_.unfit = call.function + " " + std::string(why);
  }

  // Whether the call returns its first operand unchanged. The result then gets the operand's id.
  bool ReturnsOperand(const CapturedCall& call) {
    if (call.results.size() != 1 || call.arguments.empty()) return false;
    const std::vector<int> first = ValuesIn(call.arguments.front().value);
    if (first.size() != 1) return false;
    const CapturedValue& from = run_.values[first[0]];
    const CapturedValue& to = run_.values[call.results[0]];
    const std::string name = CalledName(call.function);
    const bool same =
        IsOneOf(name, kIdentityCalls) ||
        ((name == "to" || name == "float" || name == "type_as") && from.type == to.type) ||
        (name.find("dropout") != name.npos && DropsNothing(call));
    if (!same || !from.type || from.type != to.type) return false;
    ids_[call.results[0]] = IdOf(first[0]);
    return true;
  }

  // x.copy_(y): from here on, x stands for y.
  bool IsCopy(const CapturedCall& call) {
    if (CalledName(call.function) != "copy" || call.arguments.size() < 2) return false;
    const std::vector<int> from = ValuesIn(call.arguments[1].value);
    if (from.size() != 1 || call.results.size() != 1) return false;
    if (run_.values[from[0]].type != run_.values[call.results[0]].type) return false;
    ids_[call.results[0]] = IdOf(from[0]);
    return true;
  }

  // Whether the call creates a tensor from numbers. Its result becomes a buffer of the module, or,
  // with CreatedTensors::kAsOperators, IdOf() adds an operator when the value is first needed.
  bool IsConstant(const CapturedCall& call) {
    const std::string name = CalledName(call.function);
    const bool random = IsOneOf(name, kRandom);
    if (!random && !IsOneOf(name, kConstants)) return false;
    if (random) SetUnfit(call, kDrawsRandomNumbers);
    for (const int result : call.results) {
      run_.values[result].role = CapturedValue::Role::kBuffer;
      zeros_[static_cast<std::size_t>(result)] = name == "zeros";
      makers_[static_cast<std::size_t>(result)] = &call;
    }
    return true;
  }

  // Adds the operator that creates a value from numbers alone. Returns false if the table has none.
  bool AddCreation(int value) {
    const CapturedCall& call = *makers_[static_cast<std::size_t>(value)];
    makers_[static_cast<std::size_t>(value)] = nullptr;
    const CapturedCall named = WithPlaces(call);
    for (const OperatorRow* row : RowsOf(call.function)) {
      if (row->family == OperatorFamily::kCreation && AddOperator(named, *row)) return true;
    }
    return AddFull(call, value);
  }

  // Names the positional arguments of arange(end) or arange(start, end, step).
  static CapturedCall WithPlaces(CapturedCall call) {
    if (CalledName(call.function) != "arange") return call;
    std::vector<CapturedArgument*> places;
    for (CapturedArgument& argument : call.arguments) {
      if (argument.name.empty()) places.push_back(&argument);
    }
    constexpr std::string_view kNames[] = {"start", "end", "step"};
    const std::size_t first = places.size() == 1 ? 1 : 0;
    for (std::size_t i = 0; i < places.size() && first + i < std::size(kNames); ++i) {
      places[i]->name = kNames[first + i];
    }
    return call;
  }

  // Adds torch.full for any call that creates a tensor filled with one number.
  bool AddFull(const CapturedCall& call, int value) {
    const std::string name = CalledName(call.function);
    const std::optional<TensorType>& type = run_.values[value].type;
    std::optional<double> number;
    if (name == "zeros" || name == "new_zeros") number = 0;
    if (name == "ones" || name == "new_ones") number = 1;
    const bool one = name == "tensor" || name == "new_tensor";  // torch.tensor(0.5)
    for (const CapturedArgument& argument : call.arguments) {
      const bool fills = name.ends_with("full") && argument.name == "fill_value";
      const bool unnamed = argument.name.empty() || argument.name == "data";
      if (fills || (unnamed && (one || name.ends_with("full")))) {
        const Json& given = argument.value;
        if (given.is_int() || given.is_double()) number = given.as_double();
        if (given.is_bool()) number = given.as_bool();
        if (given.TextAt("number") == "inf") number = HUGE_VAL;
        if (given.TextAt("number") == "-inf") number = -HUGE_VAL;
      }
    }
    const OperatorRow* const row = FindOperator("full");
    if (!number || !type || row == nullptr) return false;
    const auto& words = row->attributes.back().choices;
    const auto word =
        std::find(words.begin(), words.end(), "torch." + std::string(DTypeName(type->dtype)));
    if (word == words.end()) return false;
    ids_[value] = result_.graph.Apply(
        *row, {},
        std::array{Attribute::Integers(type->shape.sizes()), Attribute::Number(*number),
                   Attribute::Choice(static_cast<int>(word - words.begin()))});
    return ids_[value] != kAbsent && result_.graph.value(ids_[value]).type == *type;
  }

  // Whether a call with dropout drops nothing here.
  static bool DropsNothing(const CapturedCall& call) {
    return std::any_of(call.arguments.begin(), call.arguments.end(), [](const auto& argument) {
      const auto& [name, value, is_default] = argument;
      if (name == "training" || name == "train") return value == Json(false);
      if (name == "num_layers") return value == Json(1);  // The dropout would be between layers.
      const bool number = value.is_int() || value.is_double();
      return IsOneOf(name, kDropoutParameters) && number && value.as_double() == 0;
    });
  }

  // Whether the call's result depends on the random seed.
  static bool DrawsNumbers(const CapturedCall& call, const std::string& name) {
    const bool shares =
        std::any_of(call.arguments.begin(), call.arguments.end(), [](const auto& argument) {
          return argument.name == "dropout" || argument.name == "dropout_p";
        });
    const bool drops = shares || name == "rrelu" || name.find("dropout") != name.npos;
    return drops ? !DropsNothing(call) : IsOneOf(name, kDrawing);
  }

  // The graph's id of a captured value. Values that no call has created become inputs or parameters
  // of the graph.
  ValueId IdOf(int value) {
    if (ids_[value] != kAbsent || !run_.values[value].type) return ids_[value];
    const bool asked = created_ == CreatedTensors::kAsOperators;
    if (asked && makers_[static_cast<std::size_t>(value)] != nullptr && AddCreation(value)) {
      return ids_[value];
    }
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
    result_.is_plain_attribute.resize(result_.graph.values().size());
    result_.names[ids_[value]] = captured.name;
    result_.is_plain_attribute[ids_[value]] = captured.role == CapturedValue::Role::kConstant;
    return ids_[value];
  }

  // Replaces the equation by the equivalent one of the table, if there is one with other letters.
  CapturedCall WithKnownEquation(CapturedCall call) const {
    std::vector<int> ranks;
    Json text;
    for (CapturedArgument& argument : call.arguments) {
      if (argument.value.is_string()) text = argument.value;
      for (const int value : ValuesIn(argument.value)) {
        if (!run_.values[value].type) return call;
        ranks.push_back(run_.values[value].type->shape.rank());
      }
    }
    const std::optional<KnownEquation> known =
        text.is_string() ? FindEquation(text.as_string(), ranks) : std::nullopt;
    if (!known) return call;
    std::vector<CapturedArgument*> tensors;
    for (CapturedArgument& argument : call.arguments) {
      if (argument.value.is_string()) argument.value = Json(known->text);
      if (!ValuesIn(argument.value).empty()) tensors.push_back(&argument);
    }
    if (known->exchanged && tensors.size() == 2) std::swap(tensors[0]->value, tensors[1]->value);
    return call;
  }

  // Whether the row infers the same result types as torch.
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

  bool AddOperator(const CapturedCall& call, const OperatorRow& row) {
    const std::optional<BoundCall> bound = Bind(call, row, run_.values);
    if (!bound) return false;
    std::vector<ValueId> operands;
    for (const int value : bound->operands) {
      // nn.LSTM and similar modules create zero states if none are passed.
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

  bool AddComposed(const CapturedCall& call, std::string_view name) {
    ComposedCall composed{call, name, {}, {}, created_ == CreatedTensors::kAsOperators};
    for (const CapturedArgument& argument : call.arguments) {
      for (const int value : ValuesIn(argument.value)) composed.operands.push_back(IdOf(value));
    }
    for (const int result : call.results) composed.types.push_back(run_.values[result].type);
    const std::vector<ValueId> made = Compose(composed, &result_.graph);
    if (made.size() != call.results.size()) return false;
    for (std::size_t i = 0; i < made.size(); ++i) ids_[call.results[i]] = made[i];
    return true;
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
  std::vector<ValueId> ids_;  // By captured value.
  std::vector<bool> zeros_;   // By captured value: whether it was created as zeros.
  // By captured value: the call that creates it from numbers; null once IdOf() has used it.
  std::vector<const CapturedCall*> makers_;
  const CreatedTensors created_;
  CapturedGraph result_;
};

}  // namespace

CapturedGraph GraphOfRun(CapturedRun run, CreatedTensors created) {
  return Conversion(std::move(run), created).Run();
}

}  // namespace kernelmill
