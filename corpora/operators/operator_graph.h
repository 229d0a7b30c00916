// A PyTorch module as a graph of operators and tensors. GraphSampler draws graphs, GraphOfRun()
// makes them from captured runs of modules. They are written as PyTorch, lowered to kernels, and
// compared.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "corpora/operators/operator_row.h"
#include "corpora/operators/size_formula.h"
#include "manifests/digest.h"

namespace kernelmill {

using ValueId = std::int32_t;
inline constexpr ValueId kAbsent = -1;  // An optional operand that is not given.

// A number that determines shapes, such as a batch size or a width. Sizes of inputs and layers
// refer to it, so that the same graph can be built at large and at small sizes.
struct SizeVariable {
  std::string_view name;  // The name in source text: "batch_size", "in_features".
  std::int64_t value = 1;
  // The value at the small sizes of a drawn graph, at which `admit` runs its task. The judge
  // chooses sizes of its own (stages/verify/reference/size_sets.h).
  std::int64_t small = 1;
  bool symbolic = false;   // Kernels must accept any value.
  SizeFormula formula;     // For variables that follow from earlier ones.
};

// Says that a variable was drawn to equal one size of a computed value, such as the width of an
// input that is added to the result of a convolution. The value is computed before all users of the
// variable.
struct SizeLink {
  std::int16_t variable = kNoVariable;
  ValueId source = kAbsent;
  std::int32_t dimension = 0;
};

enum class ValueRole : std::uint8_t { kInput, kParameter, kBuffer, kResult };

// The range of results that are computed from values without finite bounds, as all inputs of
// captured graphs are. No operator rejects such values.
inline constexpr Range kAnyValue{-std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity()};

// The memory layout of an input.
enum class InputLayout : std::uint8_t {
  kContiguous,
  kTransposed,    // The last two dimensions are transposed.
  kChannelsLast,  // Dimension 1 is innermost.
  kSliced,        // Every second element of a larger tensor in the last dimension.
};

struct Value {
  TensorType type;
  ValueRole role = ValueRole::kResult;
  InputLayout layout = InputLayout::kContiguous;  // For inputs.
  // The node that computes it or, for a parameter or buffer, owns it; -1 for none.
  std::int32_t node = -1;
  Range range;
  Range small_range;  // The range at small sizes, which differs for indices into a smaller table.
  // The variable of each size, or kNoVariable. Set for inputs, for parameters and buffers that no
  // node owns, and for results whose sizes the maker of the graph knows.
  std::array<std::int16_t, kMaxRank> variables;

  bool is_computed() const { return role == ValueRole::kResult; }
};

struct Node {
  const OperatorRow* op = nullptr;
  std::int32_t first_operand = 0, operand_count = 0;
  std::int32_t first_attribute = 0;  // The index of the first; there are as many as in the row.
  ValueId first_result = 0;
  std::int32_t result_count = 0;
};

// Nodes are in topological order. A graph can be cleared and filled again without allocating.
class OperatorGraph {
 public:
  void Clear();

  std::int16_t AddSize(const SizeVariable& size);
  // Adds an input whose sizes are the values of `variables`.
  ValueId AddInput(DType dtype, std::span<const std::int16_t> variables, const Range& range,
                   InputLayout layout = InputLayout::kContiguous);
  // Adds an input, or a parameter or buffer that no node owns. `variables` is empty or has one
  // variable for each size.
  ValueId AddValue(const TensorType& type, ValueRole role, const Range& range,
                   std::span<const std::int16_t> variables = {},
                   InputLayout layout = InputLayout::kContiguous);
  // Applies `op` to operands in the order of the row. Parameters and buffers that `operands` does
  // not list are created, and optional operands that it does not list are absent. `size_variables`,
  // empty or parallel to `attributes`, binds attributes to variables. `small_attributes`, empty or
  // parallel to `attributes`, gives the values of unbound attributes at small sizes. Returns the id
  // of the first result, or kAbsent when the row's rules reject the operands, in which case the
  // graph is unchanged.
  ValueId Apply(const OperatorRow& op, std::span<const ValueId> operands,
                std::span<const Attribute> attributes,
                std::span<const std::int16_t> size_variables = {},
                std::span<const Attribute> small_attributes = {});
  void SetOutputs(std::span<const ValueId> outputs);

  std::span<const SizeVariable> sizes() const { return sizes_; }
  void SetSymbolic(std::int16_t variable, bool symbolic) { sizes_[variable].symbolic = symbolic; }
  void SetFormula(std::int16_t variable, const SizeFormula& formula) {
    sizes_[variable].formula = formula;
  }
  void SetSizeName(std::int16_t variable, std::string_view name) { sizes_[variable].name = name; }
  void BindSize(ValueId id, int dimension, std::int16_t variable) {
    values_[id].variables[dimension] = variable;
  }
  // Replaces the variable `from` in the sizes of all values by `to`, which may be kNoVariable.
  void RebindSizes(std::int16_t from, std::int16_t to);
  std::span<const Value> values() const { return values_; }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const ValueId> outputs() const { return outputs_; }
  const Value& value(ValueId id) const { return values_[id]; }
  std::span<const ValueId> operands(const Node& node) const;
  std::span<const Attribute> attributes(const Node& node) const;
  // For each attribute the variable that it is bound to, or kNoVariable.
  std::span<const std::int16_t> size_variables(const Node& node) const;
  std::span<const Attribute> small_attributes(const Node& node) const;

  // The number of items of each kind, so that Rewind() can remove what was added later.
  struct Mark {
    std::size_t sizes = 0, values = 0, nodes = 0, operands = 0, attributes = 0;
  };
  Mark mark() const;
  void Rewind(const Mark& mark);
  // Requires an input that no node uses yet.
  void SetRange(ValueId id, const Range& range, const Range& small_range) {
    values_[id].range = range;
    values_[id].small_range = small_range;
  }

  // The sum over all nodes, without fusion.
  OperatorCost Cost() const;
  OperatorCost Cost(const Node& node) const;

 private:
  // The operands as the operator's rules see them: pointers to types, valid until a value is added.
  OperatorUse UseOf(std::span<const ValueId> operands, std::span<const Attribute> attributes) const;

  std::vector<SizeVariable> sizes_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> operands_;
  std::vector<Attribute> attributes_;
  std::vector<Attribute> small_attributes_;
  std::vector<std::int16_t> attribute_variables_;
  std::vector<ValueId> outputs_;
  // Scratch memory of Apply and Cost.
  mutable std::vector<const TensorType*> use_;
  mutable std::vector<TensorType> types_;
  std::vector<ValueId> applied_;
  std::vector<Range> operand_ranges_, ranges_;
};

// Builds the same graph with each variable at its `small` value and the attributes' small values.
// Values keep their ids. False when some operator rejects these sizes.
bool AtSmallSizes(const OperatorGraph& graph, OperatorGraph* result);
// Builds the same graph with `values[i]` for variable i. Variables of `links`, which are in order
// of creation, get the size of their source instead.
bool AtSizes(const OperatorGraph& graph, std::span<const std::int64_t> values,
             OperatorGraph* result, std::span<const SizeLink> links = {});
// Sets every variable that has a formula to the value of its formula.
void FollowFormulas(const OperatorGraph& graph, std::span<std::int64_t> values);

// Equal for graphs that differ only in the order of nodes, inputs and outputs, in names, ranges and
// size bindings, or in what changes nothing: views and copies of values that already have that
// form, absent operands at the end, one number in place of the same number for each dimension.
// (Such graphs may get different hashes if very many of their nodes can be exchanged with each
// other.) `shapes` false leaves sizes out. Use a CanonicalHasher
// (corpora/operators/canonical_hash.h) to hash many graphs.
Digest CanonicalHash(const OperatorGraph& graph, bool shapes = true);

}  // namespace kernelmill
