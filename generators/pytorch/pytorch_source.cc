#include "generators/pytorch/pytorch_source.h"

#include <bit>
#include <cmath>
#include <utility>

#include "corpora/operators/rules/type_rules.h"
#include "generators/pytorch/call_words.h"
#include "generators/pytorch/input_draw.h"
#include "generators/pytorch/python_text.h"

namespace kernelmill {

void PyTorchSource::Append(const OperatorGraph& large, const OperatorGraph& small,
                           const GraphNames& names, std::uint64_t seed, SourceSizes at,
                           std::string* text) {
  large_ = &large;
  small_ = &small;
  graph_ = at == SourceSizes::kLarge ? &large : &small;
  plan_.Make(large, names, seed);
  used_.assign(large.sizes().size(), false);
  in_init_.assign(large.sizes().size(), false);
  on_self_.assign(large.sizes().size(), false);
  forward_.clear();
  init_.clear();
  hoisted_.clear();

  out_ = &forward_;
  in_forward_ = true;
  WriteForward();
  in_forward_ = false;
  out_ = &init_;
  WriteInit();
  out_ = text;
  WriteHeader();
  *out_ += init_;
  *out_ += '\n';
  *out_ += forward_;
  *out_ += "\n\n";
  inputs_.clear();
  out_ = &inputs_;
  WriteInputs();
  out_ = text;
  WriteConstants();
  *out_ += inputs_;
}

void PyTorchSource::WriteHeader() {
  bool modules = false, functions = false;
  for (std::size_t i = 0; i < graph_->nodes().size(); ++i) {
    functions = functions || plan_.node(static_cast<int>(i)).spelling.prefix == "F.";
    modules = modules || plan_.node(static_cast<int>(i)).spelling.prefix == "nn.";
  }
  *out_ += "import torch\nimport torch.nn as nn\n";
  if (functions) *out_ += "import torch.nn.functional as F\n";
  *out_ += "\n\nclass Model(nn.Module):\n    def __init__(self";
  for (std::size_t i = 0; i < in_init_.size(); ++i) {
    if (!in_init_[i]) continue;
    *out_ += ", ";
    *out_ += graph_->sizes()[i].name;
  }
  for (const Hoisted& one : hoisted_) {
    *out_ += ", ";
    *out_ += one.name;
  }
  *out_ += "):\n        super().__init__()\n";
  for (std::size_t i = 0; i < on_self_.size(); ++i) {
    if (!on_self_[i]) continue;
    *out_ += "        self.";
    *out_ += graph_->sizes()[i].name;
    *out_ += " = ";
    *out_ += graph_->sizes()[i].name;
    *out_ += '\n';
  }
  for (const Hoisted& one : hoisted_) {
    if (!one.on_self) continue;
    *out_ += "        self.";
    *out_ += one.name;
    *out_ += " = ";
    *out_ += one.name;
    *out_ += '\n';
  }
}

void PyTorchSource::WriteInit() {
  for (const ValueId id : plan_.free_parameters()) {
    const Value& value = graph_->value(id);
    *out_ += "        self.";
    WriteName(plan_.value(id).name);
    *out_ += value.role == ValueRole::kParameter ? " = nn.Parameter(" : " = nn.Buffer(";
    WriteDraw(id);
    *out_ += ")\n";
  }
  for (std::size_t i = 0; i < graph_->nodes().size(); ++i) {
    if (plan_.node(static_cast<int>(i)).spelling.form == SpellingForm::kModule) {
      WriteMember(static_cast<int>(i));
    }
  }
}

void PyTorchSource::WriteMember(int index) {
  const PlannedNode& planned = plan_.node(index);
  if (planned.IsInSequence()) return;
  *out_ += "        self.";
  WriteName(planned.member);
  *out_ += " = ";
  if (planned.first == index) {
    WriteConstruction(index);
    *out_ += '\n';
    return;
  }
  *out_ += "nn.Sequential(\n";
  for (int i = planned.first; i <= index; ++i) {
    *out_ += "            ";
    WriteConstruction(i);
    *out_ += ",\n";
  }
  *out_ += "        )\n";
}

void PyTorchSource::WriteConstruction(int index) {
  const Node& node = graph_->nodes()[index];
  const PlannedNode& planned = plan_.node(index);
  *out_ += planned.spelling.prefix;
  *out_ += planned.spelling.name;
  *out_ += '(';
  const std::vector<ModuleArgument>& places = node.op->construction.arguments;
  const std::span<const ValueId> operands = graph_->operands(node);
  bool separated = false;
  for (const ModuleArgument& place : places) {
    if (separated) *out_ += ", ";
    separated = true;
    if (place.operand < 0) {
      for (std::size_t i = 0; i < node.op->attributes.size(); ++i) {
        if (node.op->attributes[i].name == place.attribute) WriteAttribute(index, int(i));
      }
      continue;
    }
    const ValueId operand = operands[place.operand];
    const int rank = graph_->value(operand).type.shape.rank();
    WriteSize(operand, place.dimension < 0 ? rank + place.dimension : place.dimension);
  }
  for (std::size_t i = 0; i < node.op->attributes.size(); ++i) {
    const AttributeRow& row = node.op->attributes[i];
    const bool placed = std::any_of(places.begin(), places.end(), [&](const ModuleArgument& one) {
      return one.operand < 0 && one.attribute == row.name;
    });
    if (placed || !IsConstructed(row.name) || !IsWritten(node, int(i))) continue;
    if (separated) *out_ += ", ";
    separated = true;
    *out_ += row.name;
    *out_ += '=';
    WriteAttribute(index, int(i));
  }
  if (const std::string_view fixed = node.op->construction.fixed; !fixed.empty()) {
    *out_ += ", ";
    *out_ += fixed;
  }
  for (const ValueId id : operands) {
    if (id == kAbsent || graph_->value(id).node != index) continue;
    const DType dtype = graph_->value(id).type.dtype;
    if (dtype == DType::kFloat32) break;
    if (separated) *out_ += ", ";
    *out_ += "dtype=torch.";
    *out_ += DTypeName(dtype);
    break;
  }
  *out_ += ')';
}

void PyTorchSource::WriteForward() {
  *out_ += "    def forward(self";
  for (const ValueId id : plan_.inputs()) {
    *out_ += ", ";
    WriteName(plan_.value(id).name);
  }
  *out_ += "):\n";
  const int count = static_cast<int>(graph_->nodes().size());
  bool returned = false;
  for (int i = 0; i < count; ++i) {
    if (plan_.node(i).IsInlined(i)) continue;
    const Node& node = graph_->nodes()[i];
    returned = i == count - 1 && plan_.returns_expression() && graph_->outputs().size() == 1 &&
               node.result_count == 1 && graph_->outputs()[0] == node.first_result;
    if (returned) {
      *out_ += "        return ";
      WriteCall(i, 0);
      *out_ += '\n';
    } else {
      WriteStatement(i);
    }
  }
  if (!returned) WriteReturn();
}

void PyTorchSource::WriteStatement(int index) {
  const Node& node = graph_->nodes()[index];
  // Write the operands before the results get their names, because a result may take the name of an
  // operand.
  SourceName old_name;
  const ValueId moved = plan_.NameResults(index, &old_name);
  if (moved != kAbsent) {
    *out_ += "        ";
    WriteName(plan_.value(moved).name);
    *out_ += " = ";
    WriteName(old_name);
    *out_ += '\n';
    alias_ = moved;
    alias_name_ = old_name;
  }
  *out_ += "        ";
  WriteTargets(index);
  *out_ += " = ";
  WriteCall(index, 0);
  const int only = plan_.OnlyResult(index);
  if (only >= 0 && node.result_count > 1) {
    *out_ += '[';
    AppendInteger(only, out_);
    *out_ += ']';
  }
  *out_ += '\n';
  alias_ = kAbsent;
}

void PyTorchSource::WriteTargets(int index) {
  const Node& node = graph_->nodes()[index];
  const auto target = [&](int i) { WriteName(plan_.value(node.first_result + i).name); };
  const int only = plan_.OnlyResult(index);
  if (only >= 0) {
    target(only);
    return;
  }
  // torch.nn.LSTM returns (out, (h, c)).
  const bool nested = node.op->name == "lstm" && node.result_count == 3;
  for (int i = 0; i < node.result_count; ++i) {
    if (i > 0) *out_ += ", ";
    if (nested && i == 1) *out_ += '(';
    target(i);
  }
  if (nested) *out_ += ')';
}

void PyTorchSource::WriteReturn() {
  *out_ += "        return ";
  for (std::size_t i = 0; i < graph_->outputs().size(); ++i) {
    if (i > 0) *out_ += ", ";
    WriteValue(graph_->outputs()[i], 0);
  }
  *out_ += '\n';
}

void PyTorchSource::WriteFormula(const SizeFormula& formula) {
  const bool divides = formula.divisor != 1;
  // Writes (x - 3) // 2 + 1 instead of (x - 1) // 2: multiples of the divisor are added after the
  // division.
  const std::int64_t whole = divides && formula.offset > 0 ? formula.offset / formula.divisor : 0;
  const std::int64_t offset = formula.offset - whole * formula.divisor;
  const auto add = [&](std::int64_t number) {
    if (number == 0) return;
    *out_ += number > 0 ? " + " : " - ";
    AppendInteger(std::abs(number), out_);
  };
  const bool bracketed = divides && (offset != 0 || formula.addend != kNoVariable);
  if (bracketed) *out_ += '(';
  bool behind = formula.scale != 1;
  if (behind) AppendInteger(formula.scale, out_);
  for (const std::int16_t factor : formula.factors) {
    if (factor == kNoVariable) continue;
    if (std::exchange(behind, true)) *out_ += " * ";
    *out_ += graph_->sizes()[factor].name;
  }
  if (formula.addend != kNoVariable) {
    *out_ += " + ";
    *out_ += graph_->sizes()[formula.addend].name;
  }
  add(offset);
  if (bracketed) *out_ += ')';
  if (!divides) return;
  *out_ += " // ";
  AppendInteger(formula.divisor, out_);
  add(whole);
}

void PyTorchSource::WriteConstants() {
  const std::size_t before = out_->size();
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (!used_[i]) continue;
    const SizeVariable& size = graph_->sizes()[i];
    *out_ += size.name;
    *out_ += " = ";
    if (size.formula.is_given()) {
      WriteFormula(size.formula);
    } else {
      AppendInteger(size.value, out_);
    }
    *out_ += '\n';
  }
  for (const Hoisted& one : hoisted_) {
    const Node& node = graph_->nodes()[one.node];
    *out_ += one.name;
    *out_ += " = ";
    WriteLiteral(*node.op, node.op->attributes[one.attribute],
                 graph_->attributes(node)[one.attribute]);
    *out_ += '\n';
  }
  if (out_->size() > before) *out_ += "\n\n";
}

void PyTorchSource::WriteDraw(ValueId id) {
  const Value& value = graph_->value(id);
  InputDraw draw = AppendInputStart(value, out_);
  if (draw.kind == InputDraw::Kind::kIntegers) WriteBound(id);
  const int rank = value.type.shape.rank();
  const bool tuple = draw.tuple || rank == 0;
  if (tuple) *out_ += '(';
  for (int i = 0; i < rank; ++i) {
    if (i > 0) *out_ += ", ";
    int dimension = i;
    if (value.layout == InputLayout::kTransposed && i >= rank - 2) dimension = 2 * rank - 3 - i;
    const bool twice = value.layout == InputLayout::kSliced && i == rank - 1;
    if (twice) *out_ += "2 * ";
    WriteSize(id, dimension);
  }
  if (tuple) *out_ += rank == 1 ? ",)" : ")";
  if (draw.kind == InputDraw::Kind::kBools) WriteTruth(id, &draw.comparison);
  AppendInputEnd(draw, value, out_);
}

void PyTorchSource::WriteBound(ValueId id) {
  const auto bound = [&](const OperatorGraph& graph) {
    return static_cast<std::int64_t>(std::floor(graph.value(id).range.high)) + 1;
  };
  const std::int16_t variable =
      graph_->value(id).range.low == 0 ? VariableOf(bound(*large_), bound(*small_)) : kNoVariable;
  if (variable == kNoVariable) {
    AppendInteger(bound(*graph_), out_);
  } else {
    WriteVariable(variable);
  }
  *out_ += ", ";
}

void PyTorchSource::WriteTruth(ValueId id, std::string* truth) {
  for (const Node& node : graph_->nodes()) {
    const bool all = node.op->name == "all";
    if ((!all && node.op->name != "any") || graph_->operands(node)[0] != id) continue;
    std::uint32_t reduced = 0;
    const int rank = graph_->value(id).type.shape.rank();
    if (!WrapDimensions(graph_->attributes(node)[0], rank, &reduced)) return;
    // The threshold makes half of the results true: 0.5 ** (1 / (height * width)).
    *truth = all ? "< 0.5 ** (1 / " : "> 0.5 ** (1 / ";
    std::string* const text = std::exchange(out_, truth);
    const bool several = std::popcount(reduced) > 1;
    if (several) *out_ += '(';
    for (int i = 0, written = 0; i < rank; ++i) {
      if ((reduced >> i & 1) == 0) continue;
      if (written++ > 0) *out_ += " * ";
      WriteSize(id, i);
    }
    *out_ += several ? "))" : ")";
    out_ = text;
    return;
  }
}

void PyTorchSource::WriteInputs() {
  const std::span<const ValueId> inputs = plan_.inputs();
  *out_ += "def get_inputs():\n";
  if (inputs.size() < 3) {
    *out_ += "    return [";
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (i > 0) *out_ += ", ";
      WriteDraw(inputs[i]);
    }
    *out_ += "]\n";
  } else {
    for (const ValueId id : inputs) {
      *out_ += "    ";
      WriteName(plan_.value(id).first_name);
      *out_ += " = ";
      WriteDraw(id);
      *out_ += '\n';
    }
    *out_ += "    return [";
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (i > 0) *out_ += ", ";
      WriteName(plan_.value(inputs[i]).first_name);
    }
    *out_ += "]\n";
  }
  *out_ += "\n\ndef get_init_inputs():\n    return [";
  bool separated = false;
  const auto separate = [&] {
    if (separated) *out_ += ", ";
    separated = true;
  };
  for (std::size_t i = 0; i < in_init_.size(); ++i) {
    if (!in_init_[i]) continue;
    separate();
    *out_ += graph_->sizes()[i].name;
  }
  for (const Hoisted& one : hoisted_) {
    separate();
    *out_ += one.name;
  }
  *out_ += "]\n";
}

}  // namespace kernelmill
