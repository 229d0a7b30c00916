// A PyTorch module as operators and tensors: what is sampled, captured from modules of others,
// written as PyTorch, lowered to kernels, and compared.
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

// A number that decides shapes: a batch size, a width. Those of a task's inputs and layers refer to
// it, so that the same graph exists at large and at small sizes.
struct SizeVariable {
  std::string_view name;  // As source text calls it: "batch_size", "in_features".
  std::int64_t value = 1;
  std::int64_t small = 1;  // What it is at the sizes that a CPU checks.
  bool symbolic = false;   // A kernel has to take any value.
  SizeFormula formula;     // Of those that follow from variables before it.
};

// A variable that is one of the sizes of a result, which is computed before what refers to it.
struct SizeLink {
  std::int16_t variable = kNoVariable;
  ValueId source = kAbsent;
  std::int32_t dimension = 0;
};

enum class ValueRole : std::uint8_t { kInput, kParameter, kBuffer, kResult };

// Of values of which nothing is known. What is computed from them has this range too, and no
// operator refuses them: graphs captured from modules of others.
inline constexpr Range kAnyValue{-std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity()};

// How an input lies in memory.
enum class InputLayout : std::uint8_t {
  kContiguous,
  kTransposed,    // The last two dimensions exchanged.
  kChannelsLast,  // Dimension 1 innermost.
  kSliced,        // Every second element of a larger one in the last dimension.
};

struct Value {
  TensorType type;
  ValueRole role = ValueRole::kResult;
  InputLayout layout = InputLayout::kContiguous;  // Of inputs.
  std::int32_t node = -1;                         // That makes it, or, of parameters, owns it.
  Range range;
  Range small_range;  // At small sizes: indices into a smaller table.
  // Of inputs, and of parameters and buffers that no node owns: the variable of each size, or
  // kNoVariable. Of results too where whoever makes the graph knows it.
  std::array<std::int16_t, kMaxRank> variables;

  bool is_computed() const { return role == ValueRole::kResult; }
};

struct Node {
  const OperatorRow* op = nullptr;
  std::int32_t first_operand = 0, operand_count = 0;
  std::int32_t first_attribute = 0;  // As many as the row has.
  ValueId first_result = 0;
  std::int32_t result_count = 0;
};

// Nodes stand in an order in which they can be computed. Cleared and used again without allocating.
class OperatorGraph {
 public:
  void Clear();

  std::int16_t AddSize(const SizeVariable& size);
  // An input whose sizes are the variables' values.
  ValueId AddInput(DType dtype, std::span<const std::int16_t> variables, const Range& range,
                   InputLayout layout = InputLayout::kContiguous);
  // An input, parameter or buffer that no node owns. `variables`, empty or one a size, binds sizes.
  ValueId AddValue(const TensorType& type, ValueRole role, const Range& range,
                   std::span<const std::int16_t> variables = {},
                   InputLayout layout = InputLayout::kContiguous);
  // Applies `op`: operands as the row lists them, parameters and buffers among them (they are made
  // where `operands` stops short of them, and optional operands are absent there).
  // `size_variables`, empty or as long as `attributes`, binds attributes to variables;
  // `small_attributes`, empty or as long, is what they are at small sizes where they are not bound.
  // The first result's id, or kAbsent where the row's rules refuse, with the graph unchanged.
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
  // Values that one variable is a size of get another, or none.
  void RebindSizes(std::int16_t from, std::int16_t to);
  std::span<const Value> values() const { return values_; }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const ValueId> outputs() const { return outputs_; }
  const Value& value(ValueId id) const { return values_[id]; }
  std::span<const ValueId> operands(const Node& node) const;
  std::span<const Attribute> attributes(const Node& node) const;
  // Of each attribute, the variable that it is bound to or kNoVariable.
  std::span<const std::int16_t> size_variables(const Node& node) const;
  std::span<const Attribute> small_attributes(const Node& node) const;

  // How much of everything there is, to take back what is added later.
  struct Mark {
    std::size_t sizes = 0, values = 0, nodes = 0, operands = 0, attributes = 0;
  };
  Mark mark() const;
  void Rewind(const Mark& mark);
  // Of an input that nothing uses yet.
  void SetRange(ValueId id, const Range& range, const Range& small_range) {
    values_[id].range = range;
    values_[id].small_range = small_range;
  }

  // Every operator by itself: what is not fused.
  OperatorCost Cost() const;
  // Of one node.
  OperatorCost Cost(const Node& node) const;

 private:
  // What an operator's rules see: pointers to the operands' types, valid until a value is added.
  OperatorUse UseOf(std::span<const ValueId> operands, std::span<const Attribute> attributes) const;

  std::vector<SizeVariable> sizes_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> operands_;
  std::vector<Attribute> attributes_;
  std::vector<Attribute> small_attributes_;
  std::vector<std::int16_t> attribute_variables_;
  std::vector<ValueId> outputs_;
  // Memory of Apply and Cost.
  mutable std::vector<const TensorType*> use_;
  mutable std::vector<TensorType> types_;
  std::vector<ValueId> applied_;
  std::vector<Range> operand_ranges_, ranges_;
};

// The same graph with each variable at `small`, and attributes as they are there. Values keep their
// numbers. False where some operator refuses those sizes.
bool AtSmallSizes(const OperatorGraph& graph, OperatorGraph* result);
// The same with the variables at `values`, one each. Those of `links`, in the order in which they
// were made, are what their sources come to; `values` do not count for them.
bool AtSizes(const OperatorGraph& graph, std::span<const std::int64_t> values,
             OperatorGraph* result, std::span<const SizeLink> links = {});
// Gives variables that have a formula the value that it comes to.
void FollowFormulas(const OperatorGraph& graph, std::span<std::int64_t> values);

// Equal for two graphs exactly when one is the other with values and nodes named and ordered
// otherwise: colours refined over operators, attributes and types until none splits, then the
// graph written down in their order. Names, ranges and what attributes are bound to do not count,
// nor the order of inputs and outputs, nor what changes nothing: views and copies of what is like
// that already, operands that are absent at the end, one number for each of several dimensions.
// `shapes` false leaves sizes out. Who hashes many keeps a CanonicalHasher (canonical_hash.h).
Digest CanonicalHash(const OperatorGraph& graph, bool shapes = true);

}  // namespace kernelmill
