#include "generators/pytorch/pytorch_source.h"

#include "generators/pytorch/call_words.h"
#include "generators/pytorch/input_draw.h"
#include "generators/pytorch/python_text.h"

namespace kernelmill {
namespace {

bool AllEqual(std::span<const std::int64_t> values) {
  return std::all_of(values.begin(), values.end(),
                     [&](std::int64_t value) { return value == values[0]; });
}

bool IsPerDimension(const OperatorRow& op) {
  return op.family == OperatorFamily::kConvolution ||
         op.family == OperatorFamily::kTransposedConvolution ||
         op.family == OperatorFamily::kPooling;
}

}  // namespace

void PyTorchSource::Append(const OperatorGraph& large, const OperatorGraph& small,
                           const GraphNames& names, std::uint64_t seed, SourceSizes at,
                           std::string* text) {
  large_ = &large;
  small_ = &small;
  graph_ = at == SourceSizes::kLarge ? &large : &small;
  plan_.Make(large, names, seed);
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
  WriteConstants();
  WriteInputs();
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
  const Node& node = graph_->nodes()[index];
  const PlannedNode& planned = plan_.node(index);
  *out_ += "        self.";
  WriteName(planned.member);
  *out_ += " = ";
  *out_ += planned.spelling.prefix;
  *out_ += planned.spelling.name;
  *out_ += '(';
  const std::span<const ModuleArgument> places = ModuleArguments(*node.op);
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
    if (placed || !IsWritten(node, int(i))) continue;
    if (separated) *out_ += ", ";
    separated = true;
    *out_ += row.name;
    *out_ += '=';
    WriteAttribute(index, int(i));
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
  *out_ += ")\n";
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
  // Operands are written under the names that they have before the results take theirs.
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
  // (out, (h, c)).
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

void PyTorchSource::WriteValue(ValueId id, int tightness) {
  const Value& value = graph_->value(id);
  if (value.is_computed() && plan_.node(value.node).IsInlined(value.node)) {
    WriteCall(value.node, tightness);
    return;
  }
  if (value.role == ValueRole::kParameter || value.role == ValueRole::kBuffer) *out_ += "self.";
  WriteName(id == alias_ ? alias_name_ : plan_.value(id).name);
}

void PyTorchSource::WriteCall(int index, int tightness) {
  const Node& node = graph_->nodes()[index];
  const PlannedNode& planned = plan_.node(index);
  const std::span<const ValueId> operands = graph_->operands(node);
  switch (planned.spelling.form) {
    case SpellingForm::kSign:
      WriteSign(index, tightness);
      return;
    case SpellingForm::kModule:
      *out_ += "self.";
      WriteName(planned.member);
      *out_ += '(';
      WriteOperands(index, 0);
      *out_ += ')';
      return;
    case SpellingForm::kMethod:
      WriteValue(operands[0], kTightest);
      *out_ += '.';
      *out_ += planned.spelling.name;
      *out_ += '(';
      WriteAttributes(index, WriteOperands(index, 1));
      *out_ += ')';
      return;
    case SpellingForm::kFunction:
      *out_ += planned.spelling.prefix;
      *out_ += planned.spelling.name;
      *out_ += '(';
      if (node.op->name == "einsum") {
        WriteAttribute(index, 0);
        *out_ += ", ";
        WriteOperands(index, 0);
      } else {
        WriteAttributes(index, WriteOperands(index, 0));
      }
      *out_ += ')';
      return;
  }
}

void PyTorchSource::WriteSign(int index, int tightness) {
  const Node& node = graph_->nodes()[index];
  const Spelling& spelling = plan_.node(index).spelling;
  const std::span<const ValueId> operands = graph_->operands(node);
  const int own = spelling.tightness;
  const bool parentheses = own < tightness;
  if (parentheses) *out_ += '(';
  const auto second = [&](int around) {
    if (operands.size() > 1) {
      WriteValue(operands[1], around);
    } else {
      WriteAttribute(index, 0);
    }
  };
  if (spelling.unary) {
    *out_ += spelling.name;
    WriteValue(operands[0], own);
  } else {
    // Power binds to the right, and comparisons do not chain.
    const bool strict = spelling.name == "**" || own == kComparing;
    if (spelling.reversed) {
      second(own + strict);
    } else {
      WriteValue(operands[0], own + strict);
    }
    *out_ += ' ';
    *out_ += spelling.name;
    *out_ += ' ';
    if (spelling.reversed) {
      WriteValue(operands[0], own + 1);
    } else {
      second(own + 1);
    }
  }
  if (parentheses) *out_ += ')';
}

bool PyTorchSource::WriteOperands(int index, int first) {
  const Node& node = graph_->nodes()[index];
  const std::span<const ValueId> operands = graph_->operands(node);
  bool separated = false, skipped = false, list = false;
  for (std::size_t i = first; i < operands.size(); ++i) {
    const OperandRow& row = node.op->operands[std::min(i, node.op->operands.size() - 1)];
    if (operands[i] == kAbsent) {
      skipped = true;
      continue;
    }
    if (graph_->value(operands[i]).node == index) break;  // The module has the rest.
    if (separated) *out_ += ", ";
    separated = true;
    if (row.role == OperandRow::Role::kList && !list && node.op->name != "einsum") {
      *out_ += '[';
      list = true;
    }
    if (skipped) {
      *out_ += row.name;
      *out_ += '=';
    }
    WriteValue(operands[i], 0);
  }
  if (list) *out_ += ']';
  return separated;
}

bool PyTorchSource::IsWritten(const Node& node, int attribute) const {
  const AttributeRow& row = node.op->attributes[attribute];
  const Attribute& value = graph_->attributes(node)[attribute];
  return value != row.default_value || large_->attributes(node)[attribute] != row.default_value;
}

void PyTorchSource::WriteAttributes(int index, bool separated) {
  const Node& node = graph_->nodes()[index];
  const std::span<const ValueId> operands = graph_->operands(node);
  bool by_place = std::find(operands.begin(), operands.end(), kAbsent) == operands.end();
  for (std::size_t i = 0; i < node.op->attributes.size(); ++i) {
    const AttributeRow& row = node.op->attributes[i];
    if (row.module_only) continue;
    if (!IsWritten(node, int(i))) {
      by_place = false;
      continue;
    }
    by_place = by_place && !row.keyword_only && IsPositional(*node.op, row.name);
    if (separated) *out_ += ", ";
    separated = true;
    const Attribute& value = graph_->attributes(node)[i];
    // x.permute(0, 2, 1): a method takes sizes and dimensions one by one.
    const bool listed = by_place && i == 0 && value.kind() == Attribute::Kind::kIntegers &&
                        plan_.node(index).spelling.form == SpellingForm::kMethod &&
                        node.op->attributes.size() == 1 &&
                        node.op->family == OperatorFamily::kShape && !plan_.node(index).hoisted;
    if (listed) {
      WriteSizes(index, int(i));
      continue;
    }
    if (!by_place) {
      *out_ += row.name;
      *out_ += '=';
    }
    WriteAttribute(index, int(i));
  }
}

void PyTorchSource::WriteAttribute(int index, int attribute) {
  const Node& node = graph_->nodes()[index];
  const AttributeRow& row = node.op->attributes[attribute];
  const Attribute& value = graph_->attributes(node)[attribute];
  const std::int16_t variable = large_->size_variables(node)[attribute];
  if (variable != kNoVariable) {
    WriteVariable(variable);
    return;
  }
  if (value.kind() == Attribute::Kind::kIntegers &&
      large_->attributes(node)[attribute] != small_->attributes(node)[attribute]) {
    // nn.LayerNorm(64), but F.layer_norm(x, (64,)).
    const bool bare = value.integers().size() == 1 && !in_forward_;
    if (!bare) *out_ += '(';
    WriteSizes(index, attribute);
    if (!bare) *out_ += value.integers().size() == 1 ? ",)" : ")";
    return;
  }
  if (plan_.node(index).hoisted && Hoist(index, attribute)) return;
  WriteLiteral(*node.op, row, value);
}

void PyTorchSource::WriteSizes(int index, int attribute) {
  const std::span<const std::int64_t> here =
      graph_->attributes(graph_->nodes()[index])[attribute].integers();
  const std::span<const std::int64_t> large =
      large_->attributes(large_->nodes()[index])[attribute].integers();
  const std::span<const std::int64_t> small =
      small_->attributes(small_->nodes()[index])[attribute].integers();
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (i > 0) *out_ += ", ";
    const std::int16_t variable =
        large.size() == small.size() ? VariableOf(large[i], small[i]) : kNoVariable;
    if (variable == kNoVariable) {
      AppendInteger(here[i], out_);
    } else if (!in_forward_ || !WriteSizeCall(index, variable)) {
      WriteVariable(variable);
    }
  }
}

bool PyTorchSource::WriteSizeCall(int index, std::int16_t variable) {
  const std::span<const ValueId> operands = graph_->operands(graph_->nodes()[index]);
  if (operands.empty() || operands[0] == kAbsent) return false;
  const Value& value = graph_->value(operands[0]);
  if (value.is_computed() && plan_.node(value.node).IsInlined(value.node)) return false;
  for (int i = 0; i < value.type.shape.rank(); ++i) {
    if (VariableOf(operands[0], i) != variable) continue;
    WriteValue(operands[0], kTightest);
    *out_ += ".size(";
    AppendInteger(i, out_);
    *out_ += ')';
    return true;
  }
  return false;
}

bool PyTorchSource::Hoist(int index, int attribute) {
  const Node& node = graph_->nodes()[index];
  const AttributeRow& row = node.op->attributes[attribute];
  const Attribute::Kind kind = graph_->attributes(node)[attribute].kind();
  if (kind != Attribute::Kind::kInteger && kind != Attribute::Kind::kIntegers &&
      kind != Attribute::Kind::kNumber) {
    return false;
  }
  for (const SizeVariable& size : graph_->sizes()) {
    if (size.name == row.name) return false;
  }
  // The arguments of forward may be called like it too.
  for (const ValueId id : plan_.inputs()) {
    if (plan_.value(id).name.word == row.name) return false;
  }
  const bool on_self = in_forward_;
  hoisted_.push_back({row.name, index, attribute, on_self});
  if (on_self) *out_ += "self.";
  *out_ += row.name;
  return true;
}

void PyTorchSource::WriteLiteral(const OperatorRow& op, const AttributeRow& row,
                                 const Attribute& value) {
  switch (value.kind()) {
    case Attribute::Kind::kNone:
      *out_ += "None";
      return;
    case Attribute::Kind::kFlag:
      *out_ += value.flag() ? "True" : "False";
      return;
    case Attribute::Kind::kInteger:
    case Attribute::Kind::kSize:
      AppendInteger(value.integer(), out_);
      return;
    case Attribute::Kind::kIntegers:
      if (!value.integers().empty() && IsPerDimension(op) && AllEqual(value.integers())) {
        AppendInteger(value.integers()[0], out_);
      } else if (value.integers().size() == 1 && op.family == OperatorFamily::kNorm &&
                 out_ == &init_) {
        AppendInteger(value.integers()[0], out_);
      } else {
        AppendTuple(value.integers(), out_);
      }
      return;
    case Attribute::Kind::kNumber:
      AppendFloat(value.number(), out_);
      return;
    case Attribute::Kind::kChoice: {
      const std::string_view word = row.choices[value.choice()];
      if (word.starts_with("torch.")) {
        *out_ += word;
      } else {
        *out_ += '"';
        *out_ += word;
        *out_ += '"';
      }
      return;
    }
  }
}

void PyTorchSource::WriteName(const SourceName& name) {
  *out_ += name.word;
  if (name.number > 0) AppendInteger(name.number, out_);
}

std::int16_t PyTorchSource::VariableOf(ValueId id, int dimension) const {
  const std::int16_t bound = large_->value(id).variables[dimension];
  if (bound != kNoVariable) return bound;
  return VariableOf(large_->value(id).type.shape[dimension],
                    small_->value(id).type.shape[dimension]);
}

std::int16_t PyTorchSource::VariableOf(std::int64_t large, std::int64_t small) const {
  if (large == small) return kNoVariable;
  const std::span<const SizeVariable> sizes = large_->sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].value == large && sizes[i].small == small) return static_cast<std::int16_t>(i);
  }
  return kNoVariable;
}

void PyTorchSource::WriteVariable(std::int16_t variable) {
  if (in_forward_) {
    on_self_[variable] = in_init_[variable] = true;
    *out_ += "self.";
  } else if (out_ == &init_) {
    in_init_[variable] = true;
  }
  *out_ += graph_->sizes()[variable].name;
}

void PyTorchSource::WriteSize(ValueId id, int dimension) {
  const std::int16_t variable = VariableOf(id, dimension);
  if (variable != kNoVariable) {
    WriteVariable(variable);
  } else {
    AppendInteger(graph_->value(id).type.shape[dimension], out_);
  }
}

void PyTorchSource::WriteConstants() {
  const std::size_t before = out_->size();
  for (const SizeVariable& size : graph_->sizes()) {
    *out_ += size.name;
    *out_ += " = ";
    AppendInteger(size.value, out_);
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
  const InputDraw draw = AppendInputStart(value, out_);
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
  AppendInputEnd(draw, value, out_);
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
