#include "generators/lowering/element_writer.h"

#include <algorithm>
#include <cctype>

#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

bool IsVariable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
}

std::string NumberOf(const Attribute& attribute, DType type) {
  return Literal(
      attribute.kind() == Attribute::Kind::kFlag ? double(attribute.flag()) : attribute.number(),
      type);
}

}  // namespace

std::string ElementWriter::Element(ValueId id, const Coordinates& at) {
  const auto key = std::pair(id, at.Key());
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  std::string name;
  if (scope_->IsInput(id)) {
    name = Load(id, at);
  } else {
    name = Compute(scope_->graph().nodes()[scope_->graph().value(id).node], at);
  }
  known_[key] = name;
  return name;
}

std::string ElementWriter::Declare(ValueId id, std::string_view word,
                                   const std::string& expression) {
  std::string name(word);
  for (int i = 1; scope_->IsTaken(name) || !locals_.insert(name).second; ++i) {
    name = std::string(word) + std::to_string(i);
  }
  Line("const " + scope_->Scalar(id).compute + ' ' + name + " = " + expression + ';');
  return name;
}

std::string ElementWriter::Load(ValueId id, const Coordinates& at) {
  const std::string& tensor = scope_->TensorName(id);
  const std::string place = tensor + '[' + Offset(id, at) + ']';
  return Declare(id, tensor + "_value", ToComputeType(scope_->TypeOf(id).dtype, place));
}

std::string ElementWriter::Offset(ValueId id, const Coordinates& at) const {
  if (scope_->IsStrided(id)) {
    std::string sum;
    for (std::size_t d = 0; d < at.axes.size(); ++d) {
      if (at.axes[d] == "0") continue;
      if (!sum.empty()) sum += " + ";
      sum +=
          GroupScope::Parenthesized(at.axes[d]) + " * " + scope_->Stride(id, static_cast<int>(d));
    }
    return sum.empty() ? "0" : sum;
  }
  if (!at.linear.empty()) return at.linear;
  std::string offset;
  for (std::size_t d = 0; d < at.axes.size(); ++d) {
    if (!offset.empty() && at.sizes[d] != "1") {
      offset = (offset.find(' ') == offset.npos ? offset : '(' + offset + ')') + " * " +
               GroupScope::Parenthesized(at.sizes[d]);
    }
    if (at.axes[d] == "0") continue;
    offset = offset.empty() ? at.axes[d] : offset + " + " + at.axes[d];
  }
  return offset.empty() ? "0" : offset;
}

Coordinates ElementWriter::Broadcast(const Shape& operand, const Shape& result,
                                     const Coordinates& at) const {
  Coordinates to;
  const int missing = result.rank() - operand.rank();
  bool same = true;
  for (int d = 0; d < result.rank(); ++d) {
    if (d < missing) {
      same &= result[d] == 1;
      continue;
    }
    const bool spread = operand[d - missing] == 1 && result[d] != 1;
    same &= !spread;
    to.axes.push_back(spread ? "0" : at.axes[d]);
    to.sizes.push_back(spread ? "1" : at.sizes[d]);
  }
  if (same) to.linear = at.linear;
  return to;
}

std::string ElementWriter::Compute(const Node& node, const Coordinates& at) {
  const OperatorGraph& graph = scope_->graph();
  if (ClassOf(graph, node) == OperatorClass::kConstant) return Constant(node, at);
  const ValueId id = node.first_result;
  const Shape& result = scope_->TypeOf(id).shape;
  std::vector<std::string> operands;
  for (const ValueId operand : graph.operands(node)) {
    if (operand == kAbsent) {
      operands.emplace_back();
      continue;
    }
    const Shape& shape = scope_->TypeOf(operand).shape;
    Coordinates from = Broadcast(shape, result, at);
    // prelu's weight is along dimension 1.
    if (node.op->name == "prelu" && operands.size() == 1) {
      const bool one = shape.Elements() == 1 || result.rank() < 2;
      from = {{one ? "0" : at.axes[1]}, {one ? "1" : at.sizes[1]}, ""};
    }
    operands.push_back(Element(operand, from));
  }
  std::string expression = Expression(node, operands);
  const DType dtype = scope_->TypeOf(id).dtype;
  const std::string type = scope_->Scalar(id).compute;
  if (scope_->Scalar(ComputeDTypeOf(graph, node)).compute != type ||
      (!IsFloating(dtype) && dtype != DType::kBool && dtype < DType::kInt32)) {
    expression = "static_cast<" + type + ">(" + expression + ')';
  }
  if (IsHalfPrecision(dtype) && MustBeRounded(id)) expression = Rounded(dtype, expression);
  // The variable must not have the name of a function in its expression.
  const std::string word(node.op->name);
  const bool called = expression.find(word + '(') != expression.npos;
  return Declare(id, called ? word + "_value" : word, expression);
}

std::string ElementWriter::Rounded(DType dtype, const std::string& expression) const {
  return ToComputeType(dtype, ToStorageType(dtype, expression));
}

void ElementWriter::DefineResult(ValueId id, const Coordinates& at, const std::string& name) {
  const DType dtype = scope_->TypeOf(id).dtype;
  const Node& head = scope_->graph().nodes()[scope_->graph().value(id).node];
  const bool rounds = IsHalfPrecision(dtype) && !OnlyMovesData(*head.op) && MustBeRounded(id);
  Define(id, at, rounds ? Declare(id, "rounded", Rounded(dtype, name)) : name);
}

// torch rounds every intermediate result to half precision. That matters where an operator that is
// not continuous comes later, such as a comparison: its operand depends on all roundings before it.
bool ElementWriter::MustBeRounded(ValueId id) {
  const auto [known, added] = must_be_rounded_.emplace(id, false);
  if (!added) return known->second;
  const OperatorGraph& graph = scope_->graph();
  bool must = graph.nodes()[graph.value(id).node].op->family == OperatorFamily::kCast;
  for (const int i : scope_->group().nodes) {
    const Node& user = graph.nodes()[i];
    const auto operands = graph.operands(user);
    if (must || std::find(operands.begin(), operands.end(), id) == operands.end()) continue;
    must = user.op->family == OperatorFamily::kComparison ||
           user.op->family == OperatorFamily::kCast || user.op->traits.jumps ||
           MustBeRounded(user.first_result);
  }
  return must_be_rounded_[id] = must;
}

std::string ElementWriter::Constant(const Node& node, const Coordinates& at) {
  const DType dtype = scope_->TypeOf(node.first_result).dtype;
  const std::string_view name = node.op->name;
  if (name.starts_with("zeros") || name == "new_zeros") return Literal(0, dtype);
  if (name.starts_with("ones") || name == "new_ones") return Literal(1, dtype);
  if (name.starts_with("full")) {
    return NumberOf(AttributeOf(scope_->graph(), node, "fill_value"), dtype);
  }
  if (name == "eye")
    return at.axes[0] + " == " + at.axes[1] + " ? " + Literal(1, dtype) + " : " + Literal(0, dtype);
  if (name == "linspace") {
    // Computes each half from its own end, as torch does, so that both ends are exact.
    const double first = AttributeOf(scope_->graph(), node, "start").number(),
                 last = AttributeOf(scope_->graph(), node, "end").number();
    const std::string begin = Literal(first, DType::kFloat32), end = Literal(last, DType::kFloat32),
                      &i = at.axes[0], count = GroupScope::Parenthesized(at.sizes[0]),
                      step = Literal(last - first, DType::kFloat32) + " / (" + count + " - 1)";
    return "static_cast<" + scope_->Scalar(dtype).compute + ">(" + i + " == 0 ? " + begin + " : " +
           i + " < " + count + " / 2 ? " + begin + " + " + i + " * (" + step + ") : " + end +
           " - (" + count + " - 1 - " + i + ") * (" + step + "))";
  }
  const Attribute& start = AttributeOf(scope_->graph(), node, "start");
  const Attribute& step = AttributeOf(scope_->graph(), node, "step");
  std::string value = at.axes[0];
  if (!step.is_none() && step.number() != 1) value += " * " + NumberOf(step, dtype);
  if (!start.is_none() && start.number() != 0) value = NumberOf(start, dtype) + " + " + value;
  return "static_cast<" + scope_->Scalar(dtype).compute + ">(" + value + ")";
}

std::string ElementWriter::Expression(const Node& node,
                                      const std::vector<std::string>& operands) const {
  const OperatorGraph& graph = scope_->graph();
  const std::string compute = scope_->Scalar(ComputeDTypeOf(graph, node)).compute;
  std::vector<std::string> converted;
  const auto ids = graph.operands(node);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (ids[k] == kAbsent) {
      converted.emplace_back();
    } else if (scope_->Scalar(ids[k]).compute == compute) {
      converted.push_back(IsVariable(operands[k]) ? operands[k] : '(' + operands[k] + ')');
    } else {
      converted.push_back("static_cast<" + compute + ">(" + operands[k] + ')');
    }
  }
  std::vector<const TensorType*> types;
  const OperatorUse use = UseOf(graph, node, &types);
  return ScalarExpression(
      *node.op, use, scope_->TypeOf(node.first_result).dtype, converted,
      [&](std::string_view attribute) { return scope_->NumberFromSizes(node, attribute); });
}

void ElementWriter::Store(ValueId id, const Coordinates& at) {
  const std::string value = Element(id, at);
  Line(scope_->TensorName(id) + '[' + Offset(id, at) +
       "] = " + ToStorageType(scope_->TypeOf(id).dtype, value) + ';');
}

std::string WithAxes(const GroupScope& scope, const Coordinates& at, const ElementWriter& writer) {
  return scope.AxisDeclarations(at, writer.code()) + writer.code();
}

std::string StoreOutputs(GroupScope* scope, const std::string& linear, const std::string& head) {
  const Coordinates at = scope->At(scope->Sizes(scope->group().outputs[0]), linear);
  ElementWriter writer(scope);
  if (const Node* node = scope->HeadOrNull(); node != nullptr && !head.empty()) {
    writer.DefineResult(node->first_result, at, head);
  }
  for (const ValueId id : scope->group().outputs) writer.Store(id, at);
  return WithAxes(*scope, at, writer);
}

}  // namespace kernelmill
