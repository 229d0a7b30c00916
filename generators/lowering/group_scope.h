// GroupScope: the names in the code of one fusion group: its tensors, the sizes that are known when
// it runs, and the parameters that its kernels can take. PlanLowering() makes one for each group;
// the group's strategy asks it for names, and HostFunctionOf() writes what was asked for.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/lowering/code_template.h"
#include "generators/lowering/fusion_group.h"
#include "generators/lowering/module_text.h"
#include "generators/lowering/scalar_type.h"

namespace kernelmill {

// The coordinates of an element: one expression per dimension, with the names of the sizes.
// `linear` is its row-major position; empty when it must be computed.
struct Coordinates {
  std::vector<std::string> axes;
  std::vector<std::string> sizes;
  std::string linear;

  std::string Key() const { return Join(axes, ",") + '|' + linear; }
};

// Whether a tensor may have another memory layout than row-major when a kernel reads it.
bool IsView(const OperatorGraph& graph, ValueId id);

class GroupScope {
 public:
  // `module`: the Python expressions of sizes that tensors do not tell; may be null.
  GroupScope(const OperatorGraph& graph, const FusionGroup& group, const KernelBackend& backend,
             const std::vector<std::string>& value_names, std::string function,
             const ModuleText* module = nullptr);

  // Sets the graph at other sizes, which show whether a number follows from a size or is given.
  void CompareWith(std::span<const OperatorGraph> others) { others_ = others; }
  // The name of a host variable for a number attribute of `node` that follows from an input's size;
  // the host computes it: "1.0f / std::sqrt(static_cast<float>(cols))". std::nullopt for other
  // numbers.
  std::optional<std::string> NumberFromSizes(const Node& node, std::string_view attribute);

  const OperatorGraph& graph() const { return graph_; }
  const FusionGroup& group() const { return group_; }
  const KernelBackend& backend() const { return backend_; }
  const std::string& function() const { return function_; }
  const Node& head() const { return graph_.nodes()[group_.head]; }
  const Node* HeadOrNull() const { return group_.head < 0 ? nullptr : &head(); }
  const TensorType& TypeOf(ValueId id) const { return graph_.value(id).type; }
  // "int" if every tensor of the task is far enough below 2^31 elements to allow for larger sizes,
  // otherwise "int64_t".
  const std::string& index() const { return index_; }
  // `value`, an unsigned 32-bit variable such as blockIdx.x, as a factor of a product that needs
  // the index type: a conversion to int would not change the product.
  std::string InIndexType(std::string_view value) const;

  bool IsInput(ValueId id) const;
  bool IsOutput(ValueId id) const;
  // Whether the value is an input or computed by the group, and not a constant in the code.
  bool HasValue(ValueId id) const;
  const std::string& TensorName(ValueId id) const;
  ScalarName Scalar(ValueId id) const { return ScalarNameOf(TypeOf(id).dtype, backend_); }
  ScalarName Scalar(DType dtype) const { return ScalarNameOf(dtype, backend_); }

  // A name based on `word` that is not in use.
  std::string Unique(std::string_view word);
  bool IsTaken(const std::string& name) const { return taken_.contains(name); }
  // The names or literals of a value's sizes at run time.
  std::vector<std::string> Sizes(ValueId id);
  // Element `i` of an integer attribute: a literal, or a name if it is different at other sizes of
  // the task.
  std::string IntegerAttribute(const Node& node, std::string_view attribute, int i = 0);
  // A number that Python passes besides tensors, for a name that IntegerAttribute() returned.
  struct Argument {
    std::string name, python;
  };
  const std::vector<Argument>& arguments() const { return arguments_; }
  // A name for the value of `expression`, which the host computes. Literals are returned unchanged.
  std::string AddSize(std::string_view word, const std::string& expression);
  std::string AddHostValue(const std::string& type, std::string_view word,
                           const std::string& expression);
  // The product of sizes, as an expression.
  static std::string Product(const std::vector<std::string>& sizes);
  // In parentheses unless it is a name or a number.
  static std::string Parenthesized(const std::string& expression);

  // The coordinates of the element at row-major position `linear` of a value with these sizes.
  // AxisDeclarations() declares those that code uses.
  Coordinates At(const std::vector<std::string>& sizes, const std::string& linear);
  std::string AxisDeclarations(const Coordinates& at, std::string_view code) const;

  // Reads an input by its strides instead of copying it first.
  void UseStrides(ValueId id) { strided_.insert(id); }
  // Does so for all inputs that are views or have another memory layout. For an operator that only
  // moves elements, the copy would be half of the work.
  void UseStridesOfViews();
  bool IsStrided(ValueId id) const { return strided_.contains(id); }
  // Allocates an output with the memory layout of an input, so that it is written by its strides.
  void KeepLayout(ValueId output, ValueId input) {
    strided_.insert(output);
    layouts_[output] = input;
  }
  // That input; kAbsent for an output in row-major order.
  ValueId LayoutOf(ValueId output) const {
    const auto known = layouts_.find(output);
    return known == layouts_.end() ? kAbsent : known->second;
  }
  std::string Stride(ValueId id, int dimension);

  // Every parameter that a kernel can have: tensors, then numbers.
  std::vector<LaunchParameter> Parameters() const;
  LaunchParameter TensorParameter(ValueId id) const;
  // Declarations of the host variables that `code` uses, each after those it depends on.
  std::string HostValues(std::string_view code) const;

 private:
  struct HostValue {
    std::string type, name, expression;
  };
  std::vector<std::string> ResultSizes(const Node& node, ValueId id);

  const OperatorGraph& graph_;
  std::span<const OperatorGraph> others_;
  const FusionGroup& group_;
  const KernelBackend& backend_;
  std::string function_;
  const ModuleText* module_;
  std::string index_;
  std::vector<std::string> tensor_names_;  // By ValueId; empty for a value without memory.
  std::set<std::string> taken_;
  std::set<ValueId> strided_;
  std::map<ValueId, ValueId> layouts_;  // Of outputs that keep the layout of an input.
  std::vector<HostValue> values_;  // Without an expression if Python passes it.
  std::vector<Argument> arguments_;
  std::vector<std::pair<ValueId, std::vector<std::string>>> sizes_;
};

}  // namespace kernelmill
