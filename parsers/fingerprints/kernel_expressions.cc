// Expressions of a kernel, for KernelReader.
#include <algorithm>

#include "parsers/cuda_attributes.h"
#include "parsers/fingerprints/kernel_reader.h"

namespace kernelmill {
namespace {

ThreadValue At(ThreadValue base, const ThreadValue& index) {
  base.stride = std::max(base.stride, index.stride);
  base.number.reset();
  return base;
}

}  // namespace

ThreadValue* KernelReader::Find(std::string_view name) {
  for (std::size_t i = variables_.size(); i > frame_; --i) {
    if (variables_[i - 1].name == name) return &variables_[i - 1].value;
  }
  return nullptr;
}

ThreadValue KernelReader::Named(const SyntaxNode& node) {
  const std::string_view name = node.Text();
  if (const ThreadValue* const value = Find(name)) return *value;
  ThreadValue value;
  if (name == "warpSize") value.number = kLanesOfWarp;
  if (const auto number = program_.Constant(name)) value.number = number;
  if (!value.number) {
    for (const std::string_view part : IdentifiersIn(program_.Macro(name))) {
      value = Joined(value, BuiltIn(part, "x"));
    }
  }
  return value;
}

ThreadValue KernelReader::BuiltIn(std::string_view name, std::string_view dimension) {
  ThreadValue value;
  value.thread = name == "threadIdx";
  value.block = name == "blockIdx";
  value.block_size = name == "blockDim";
  value.grid_size = name == "gridDim";
  if (value.thread && dimension == "x") value.stride = ThreadStride::kUnit;
  if (value.thread && dimension != "x") {
    reading_.block_dimensions = std::max(reading_.block_dimensions, dimension == "y" ? 2 : 3);
  }
  if (value.block) reading_.grid_axes |= dimension == "x" ? 1 : dimension == "y" ? 2 : 4;
  return value;
}

ThreadValue KernelReader::Eval(const SyntaxNode& node) {
  if (!node) return {};
  Deeper deeper(this);
  if (deeper.too_deep()) return {};
  const std::string_view kind = node.Kind();
  if (kind == "identifier") return Named(node);
  if (kind == "number_literal") return {.number = NumberOf(node.Text())};
  if (kind == "parenthesized_expression" || kind == "condition_clause") return EvalAll(node);
  if (kind == "field_expression") return Field(node);
  if (kind == "subscript_expression" ||
      (kind == "pointer_expression" && NodeText(node.Field("operator")) == "*")) {
    const ThreadValue place = Place(node);
    if (place.space == MemorySpace::kNone) return place;
    Access(place, false);
    return {};
  }
  if (kind == "pointer_expression") return Place(node.Field("argument"));
  if (kind == "cast_expression") {
    return Cast(node.Field("type"), Eval(node.Field("value")));
  }
  if (kind == "binary_expression") {
    const ThreadValue left = Eval(node.Field("left"));
    return Combined(NodeText(node.Field("operator")), left, Eval(node.Field("right")));
  }
  if (kind == "assignment_expression") return Assign(node);
  if (kind == "update_expression") return Update(node.Field("argument"));
  if (kind == "call_expression") return CallOf(node);
  if (kind == "lambda_expression") return {.lambda = node};
  if (kind == "conditional_expression") {
    Eval(node.Field("condition"));
    const ThreadValue a = Eval(node.Field("consequence"));
    return Joined(a, Eval(node.Field("alternative")));
  }
  if (kind == "asm_statement" || kind == "gnu_asm_expression") {
    Emit(node.Text().find("mma") != std::string_view::npos        ? "mma"
         : node.Text().find("cp.async") != std::string_view::npos ? "async"
                                                                  : "asm");
    return {};
  }
  return EvalAll(node);
}

ThreadValue KernelReader::EvalAll(const SyntaxNode& node) {
  ThreadValue all;
  const auto children = node.Children();
  for (const SyntaxNode& child : children) {
    const ThreadValue value = Eval(child);
    all = children.size() == 1 ? value : Joined(all, value);
  }
  return all;
}

ThreadValue KernelReader::Field(const SyntaxNode& node) {
  const SyntaxNode object = node.Field("argument");
  if (object.Is("identifier") && !Find(object.Text())) {
    const ThreadValue built_in = BuiltIn(object.Text(), NodeText(node.Field("field")));
    if (built_in.thread || built_in.block || built_in.block_size || built_in.grid_size) {
      return built_in;
    }
  }
  if (node.Text().find("->") != std::string_view::npos) {
    const ThreadValue pointer = Eval(object);
    if (pointer.space == MemorySpace::kGlobal || pointer.space == MemorySpace::kShared) {
      Access(pointer, false);
      return {};
    }
    return pointer;
  }
  return Eval(object);
}

ThreadValue KernelReader::Place(const SyntaxNode& node) {
  Deeper deeper(this);
  if (deeper.too_deep()) return {};
  if (node.Is("parenthesized_expression")) {
    const auto children = node.Children();
    return children.size() == 1 ? Place(children[0]) : EvalAll(node);
  }
  if (node.Is("subscript_expression")) {
    const ThreadValue base = Place(node.Field("argument"));
    ThreadValue index;
    for (const SyntaxNode& child : node.Children()) {
      if (child.Role() != "argument") index = Joined(index, Eval(child));
    }
    return At(base, index);
  }
  if (node.Is("pointer_expression") && NodeText(node.Field("operator")) == "*") {
    return At(Eval(node.Field("argument")), {});
  }
  if (node.Is("field_expression")) {
    const ThreadValue object = node.Text().find("->") != std::string_view::npos
                             ? Eval(node.Field("argument"))
                             : Place(node.Field("argument"));
    return object;
  }
  return Eval(node);
}

ThreadValue KernelReader::Cast(const SyntaxNode& type, ThreadValue value) const {
  const std::string_view text = NodeText(type);
  if (text.find('*') != std::string_view::npos || text.find('&') != std::string_view::npos) {
    value.width = WidthOf(text);
  }
  return value;
}

ThreadValue KernelReader::Assign(const SyntaxNode& node) {
  const SyntaxNode left = node.Field("left");
  const bool compound = NodeText(node.Field("operator")) != "=";
  if (left.Is("identifier")) {
    const ThreadValue right = Eval(node.Field("right"));
    ThreadValue* const variable = Find(left.Text());
    if (variable == nullptr) return right;
    // A loop or branch may bring it here with the value that it had.
    const MemorySpace space = variable->space;
    *variable = compound || loops_ > 0 ? Joined(*variable, right) : right;
    if (space == MemorySpace::kLocal) variable->space = space;
    return *variable;
  }
  const ThreadValue right = Eval(node.Field("right"));
  const ThreadValue place = Place(left);
  if (compound) Access(place, false);
  Access(place, true);
  return right;
}

ThreadValue KernelReader::Update(const SyntaxNode& argument) {
  if (argument.Is("identifier")) {
    ThreadValue* const variable = Find(argument.Text());
    if (variable != nullptr) variable->number.reset();
    return variable == nullptr ? ThreadValue() : *variable;
  }
  const ThreadValue place = Place(argument);
  Access(place, false);
  Access(place, true);
  return {};
}

int KernelReader::WidthOf(std::string_view type) const {
  for (const std::string_view name : IdentifiersIn(type)) {
    if (program_.IsRecord(name)) return kStructureWidth;
  }
  return VectorWidth(type);
}

}  // namespace kernelmill
