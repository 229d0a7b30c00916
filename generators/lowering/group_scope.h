// The names of one group's code: its tensors, the sizes that are known when it runs, and the
// parameters that its kernels can take.
#pragma once

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

// Where an element is: one expression a dimension, with the names of the sizes. `linear` is its
// position in row-major order; empty where that has to be worked out.
struct Coordinates {
  std::vector<std::string> axes;
  std::vector<std::string> sizes;
  std::string linear;

  std::string Key() const { return Join(axes, ",") + '|' + linear; }
};

// Whether a tensor need not lie in row-major order when it is read.
bool IsView(const OperatorGraph& graph, ValueId id);

class GroupScope {
 public:
  // `module`: what sizes are in Python, where tensors do not tell them.
  GroupScope(const OperatorGraph& graph, const FusionGroup& group, const KernelBackend& backend,
             const std::vector<std::string>& value_names, std::string function,
             const ModuleText* module = nullptr);

  // The same task at other sizes, which tells numbers that follow a size from those that are given.
  void CompareWith(std::span<const OperatorGraph> others) { others_ = others; }
  // What the host works out for a number among the attributes of `node` that follows a size of an
  // input: "1.0f / std::sqrt(static_cast<float>(cols))", under a name. Nothing for other numbers.
  std::optional<std::string> NumberOfSizes(const Node& node, std::string_view attribute);

  const OperatorGraph& graph() const { return graph_; }
  const FusionGroup& group() const { return group_; }
  const KernelBackend& backend() const { return backend_; }
  const std::string& function() const { return function_; }
  const Node& head() const { return graph_.nodes()[group_.head]; }
  const Node* HeadOrNull() const { return group_.head < 0 ? nullptr : &head(); }
  const TensorType& TypeOf(ValueId id) const { return graph_.value(id).type; }
  // "int" where every tensor of the task leaves room for other sizes below 2^31 elements.
  const std::string& index() const { return index_; }

  bool IsInput(ValueId id) const;
  bool IsOutput(ValueId id) const;
  // Whether it is an input or computed by the group: not a constant that is written into it.
  bool Knows(ValueId id) const;
  const std::string& TensorName(ValueId id) const;
  ScalarName Scalar(ValueId id) const { return ScalarNameOf(TypeOf(id).dtype, backend_); }
  ScalarName Scalar(DType dtype) const { return ScalarNameOf(dtype, backend_); }

  // A name that nothing has yet.
  std::string Unique(std::string_view word);
  bool IsTaken(const std::string& name) const { return taken_.contains(name); }
  // The names, or literals, of a value's sizes when the group runs.
  std::vector<std::string> Sizes(ValueId id);
  // Element `i` of an attribute that counts or sizes something: a literal, or a name where the task
  // has another at other sizes.
  std::string Given(const Node& node, std::string_view attribute, int i = 0);
  // What Python passes beside tensors, for a name that Given() has returned.
  struct Argument {
    std::string name, python;
  };
  const std::vector<Argument>& arguments() const { return arguments_; }
  // A name for what the host works out: `expression` in its terms. Literals stay what they are.
  std::string AddSize(std::string_view word, const std::string& expression);
  std::string AddHostValue(const std::string& type, std::string_view word,
                           const std::string& expression);
  // The product of sizes, as an expression.
  static std::string Product(const std::vector<std::string>& sizes);
  // In parentheses where it is more than a name.
  static std::string Factor(const std::string& expression);

  // The coordinates of the element at row-major position `linear` of a value with these sizes.
  // AxisDeclarations() gives those of them that code uses.
  Coordinates At(const std::vector<std::string>& sizes, const std::string& linear);
  std::string AxisDeclarations(const Coordinates& at, std::string_view code) const;

  // Reads an input by its strides: nothing is copied before.
  void UseStrides(ValueId id) { strided_.insert(id); }
  // Of those inputs that are views, or lie in memory in another order: to copy them first would be
  // half the work of an operator that only moves elements.
  void UseStridesOfViews();
  bool IsStrided(ValueId id) const { return strided_.contains(id); }
  std::string Stride(ValueId id, int dimension);

  // Every parameter that a kernel may take: tensors, then numbers.
  std::vector<LaunchParameter> Parameters() const;
  LaunchParameter TensorParameter(ValueId id) const;
  // Declarations of the host values that `code` uses, in the order in which they depend.
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
  std::vector<std::string> tensor_names_;  // By ValueId; empty for what has no memory.
  std::set<std::string> taken_;
  std::set<ValueId> strided_;
  std::vector<HostValue> values_;  // Without an expression where Python passes it.
  std::vector<Argument> arguments_;
  std::vector<std::pair<ValueId, std::vector<std::string>>> sizes_;
};

}  // namespace kernelmill
