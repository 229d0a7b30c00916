// The expressions in a PyTorchSource's statements: calls, their operands and arguments, names and
// sizes.
#include "generators/pytorch/call_words.h"
#include "generators/pytorch/python_text.h"
#include "generators/pytorch/pytorch_source.h"

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

bool TakesAttributeSecond(const OperatorRow& op) {
  return !op.attributes.empty() && op.attributes[0].behind_first;
}

}  // namespace

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
      WriteOperands(planned.first, 0);
      if (node.op->family == OperatorFamily::kAttention) WriteNeedOfWeights(node);
      *out_ += ')';
      // nn.MultiheadAttention returns (output, weights), and the weights are None here.
      if (node.op->family == OperatorFamily::kAttention && node.result_count == 1) *out_ += "[0]";
      return;
    case SpellingForm::kProperty:
      WriteValue(operands[0], kTightest);
      *out_ += '.';
      *out_ += planned.spelling.name;
      return;
    case SpellingForm::kSlice:
      WriteSlice(index);
      return;
    case SpellingForm::kMethod:
      WriteValue(operands[0], kTightest);
      *out_ += '.';
      *out_ += planned.spelling.name;
      *out_ += '(';
      if (TakesAttributeSecond(*node.op)) {
        WriteAttribute(index, 0);
        WriteAttributes(index, WriteOperands(index, 1, /*separated=*/true), 1);
      } else {
        WriteAttributes(index, WriteOperands(index, 1));
      }
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
      } else if (TakesAttributeSecond(*node.op)) {
        WriteValue(operands[0], 0);
        *out_ += ", ";
        WriteAttribute(index, 0);
        WriteAttributes(index, WriteOperands(index, 1, /*separated=*/true), 1);
      } else {
        WriteAttributes(index, WriteOperands(index, 0));
      }
      if (operands.empty()) WriteDevice();
      *out_ += ')';
      return;
  }
}

// Creation operators must create their result on the device of the inputs. The first name of an
// input is always bound.
void PyTorchSource::WriteDevice() {
  if (plan_.inputs().empty()) return;
  *out_ += ", device=";
  WriteName(plan_.value(plan_.inputs()[0]).first_name);
  *out_ += ".device";
}

void PyTorchSource::WriteNeedOfWeights(const Node& node) {
  const std::span<const Attribute> attributes = graph_->attributes(node);
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (node.op->attributes[i].name == "need_weights" && !attributes[i].flag()) {
      *out_ += ", need_weights=False";
    }
  }
}

// x[index], or a slice by the attributes dim, start, stop and step: x[:, 1:5], x[..., ::2].
void PyTorchSource::WriteSlice(int index) {
  const Node& node = graph_->nodes()[index];
  const std::span<const Attribute> attributes = graph_->attributes(node);
  const ValueId operand = graph_->operands(node)[0];
  if (graph_->operands(node).size() > 1) {
    WriteValue(operand, kTightest);
    *out_ += '[';
    WriteOperands(index, 1);
    *out_ += ']';
    return;
  }
  const int rank = graph_->value(operand).type.shape.rank();
  std::int64_t dim = attributes[0].integer();
  WriteValue(operand, kTightest);
  *out_ += '[';
  if (dim == -1 && rank > 1) {
    *out_ += "..., ";
  } else {
    if (dim < 0) dim += rank;
    for (std::int64_t i = 0; i < dim; ++i) *out_ += ":, ";
  }
  if (!attributes[1].is_none()) WriteAttribute(index, 1);
  *out_ += ':';
  if (!attributes[2].is_none()) WriteAttribute(index, 2);
  if (attributes[3].integer() != 1) {
    *out_ += ':';
    AppendInteger(attributes[3].integer(), out_);
  }
  *out_ += ']';
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
    // ** is right-associative, and comparisons would be chained.
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

bool PyTorchSource::WriteOperands(int index, int first, bool separated) {
  const Node& node = graph_->nodes()[index];
  const std::span<const ValueId> operands = graph_->operands(node);
  bool skipped = false, list = false;
  for (std::size_t i = first; i < operands.size(); ++i) {
    const OperandRow& row = node.op->operands[std::min(i, node.op->operands.size() - 1)];
    // self.lstm(x, (h0, c0)).
    const bool pair = row.name == "hx" && i + 1 < node.op->operands.size() &&
                      node.op->operands[i + 1].name == "cx";
    if (operands[i] == kAbsent) {
      skipped = true;
      continue;
    }
    // The module holds the remaining operands.
    if (graph_->value(operands[i]).node == index) break;
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
    if (pair) *out_ += '(';
    WriteValue(operands[i], 0);
    if (row.name == "cx") *out_ += ')';
  }
  if (list) *out_ += ']';
  return separated;
}

bool PyTorchSource::IsWritten(const Node& node, int attribute) const {
  const AttributeRow& row = node.op->attributes[attribute];
  const Attribute& value = graph_->attributes(node)[attribute];
  // torch.arange takes (end) or (start, end, step), so start and step are written together.
  if (node.op->name == "arange" && row.name == "start") {
    return value != row.default_value || IsWritten(node, attribute + 2);
  }
  return value != row.default_value || large_->attributes(node)[attribute] != row.default_value;
}

void PyTorchSource::WriteAttributes(int index, bool separated, int first) {
  const Node& node = graph_->nodes()[index];
  const std::span<const ValueId> operands = graph_->operands(node);
  bool by_place = std::find(operands.begin(), operands.end(), kAbsent) == operands.end();
  for (std::size_t i = first; i < node.op->attributes.size(); ++i) {
    const AttributeRow& row = node.op->attributes[i];
    if (row.module_only) continue;
    if (!IsWritten(node, int(i))) {
      by_place = by_place && node.op->name == "arange";
      continue;
    }
    by_place = by_place && !row.keyword_only && IsPositional(*node.op, row.name);
    if (separated) *out_ += ", ";
    separated = true;
    const Attribute& value = graph_->attributes(node)[i];
    // Methods take sizes and dimensions as separate arguments: x.permute(0, 2, 1).
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
  if (in_forward_ && row.name == "training") {
    *out_ += "self.training";
    return;
  }
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
  // The name must not be that of an argument of forward().
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
      } else if (value.integers().size() == 1 &&
                 (op.family == OperatorFamily::kReduction ||
                  (op.family == OperatorFamily::kNorm && out_ == &init_))) {
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

void PyTorchSource::WriteName(const SourceName& name) { name.AppendTo(out_); }

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

void PyTorchSource::Use(std::int16_t variable) {
  if (variable == kNoVariable || used_[variable]) return;
  used_[variable] = true;
  // The variables of its formula come before it and have no formula themselves.
  const SizeFormula& formula = graph_->sizes()[variable].formula;
  for (const std::int16_t factor : formula.factors) {
    if (factor != kNoVariable) used_[factor] = true;
  }
  if (formula.addend != kNoVariable) used_[formula.addend] = true;
}

void PyTorchSource::WriteVariable(std::int16_t variable) {
  Use(variable);
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

}  // namespace kernelmill
