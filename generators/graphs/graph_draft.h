// A graph under construction, kept at its large and its small sizes at once, so that every operator
// is known to fit at both.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/graphs/size_draw.h"
#include "generators/pytorch/source_plan.h"

namespace kernelmill {

// A size: a variable or a fixed number.
struct Extent {
  std::int64_t number = -1;
  std::int16_t variable = kNoVariable;

  static Extent Of(std::int16_t variable) { return {-1, variable}; }
};

// An attribute with a given value.
struct DraftArgument {
  std::string_view name;
  Attribute large, small;
  std::int16_t variable = kNoVariable;

  DraftArgument(std::string_view name, const Attribute& value)
      : name(name), large(value), small(value) {}
  DraftArgument(std::string_view name, const Attribute& large, const Attribute& small)
      : name(name), large(large), small(small) {}
  DraftArgument(std::string_view name, int value)
      : DraftArgument(name, Attribute::Integer(value)) {}
  DraftArgument(std::string_view name, bool value) : DraftArgument(name, Attribute::Flag(value)) {}
  DraftArgument(std::string_view name, double value)
      : DraftArgument(name, Attribute::Number(value)) {}
  // A size that is a variable.
  static DraftArgument Size(std::string_view name, std::int16_t variable) {
    DraftArgument argument(name, Attribute());
    argument.variable = variable;
    return argument;
  }
};

// Not thread-safe.
class GraphDraft {
 public:
  void Clear(std::uint64_t seed);
  Draw& draw() { return draw_; }

  // The variable with these two sizes, or a new one.
  std::int16_t Size(std::string_view name, std::int64_t large, std::int64_t small);
  // Like Size(), but only a variable whose name begins with `name` is reused, because another may
  // have the same sizes by chance.
  std::int16_t SizeNamed(std::string_view name, std::int64_t large, std::int64_t small);
  // A new variable. A number is appended to its name if the name is taken.
  std::int16_t NewSize(std::string_view name, std::int64_t large, std::int64_t small);
  // An input with these sizes; `name` may be empty.
  ValueId Input(std::string_view name, DType dtype, std::span<const std::int16_t> sizes,
                const Range& range, InputLayout layout = InputLayout::kContiguous);

  // An input of indices into a table with `rows` rows.
  ValueId InputIndices(std::string_view name, std::span<const std::int16_t> sizes,
                       const SizePair& rows);
  // A parameter that belongs to no module, such as a bias or a table of positions.
  ValueId Parameter(std::string_view name, DType dtype, std::initializer_list<Extent> extents,
                    const Range& range = Range::Normal(1));
  DType dtype(ValueId id) const {
    return id == kAbsent ? DType::kFloat32 : large_.value(id).type.dtype;
  }

  // Applies `op` to `first` with drawn attributes. Further operands are existing values, or new
  // inputs and parameters. kAbsent when it does not fit, with the draft unchanged.
  ValueId Insert(const OperatorRow& op, ValueId first);
  // Limits the results of Insert(): to this range of element counts at large sizes and, if
  // `floating`, to floating dtypes.
  void Demand(std::int64_t least, std::int64_t most, bool floating) {
    least_elements_ = least;
    most_elements_ = most;
    floating_ = floating;
  }
  // Applies an operator without tensor operands, such as ones or arange, with drawn attributes.
  ValueId Create(const OperatorRow& op);
  // A new input with the type of this value.
  ValueId InputLike(ValueId id);
  // A state of the draft to which Rewind() returns.
  struct Mark {
    OperatorGraph::Mark large, small;
  };
  Mark mark() const { return {large_.mark(), small_.mark()}; }
  void Rewind(const Mark& mark);
  // Applies an operator with given operands and attributes; `member` is the name of its module. If
  // it does not fit, the draft has failed, and all later calls do nothing.
  ValueId Call(std::string_view op, std::initializer_list<ValueId> operands,
               std::initializer_list<DraftArgument> arguments = {}, std::string_view member = {});
  // Binds a size of `id` to this variable, so that later calls find it by the variable and not by
  // its value. Returns `id`.
  ValueId Bind(ValueId id, int dimension, std::int16_t variable);
  // Two slices along `dim`: the first `size` elements and the rest.
  std::pair<ValueId, ValueId> CutAt(ValueId x, int dim, std::int16_t size);
  void Name(ValueId id, std::string_view name);
  // A tuple attribute.
  DraftArgument Tuple(std::string_view name, std::initializer_list<Extent> extents) const;
  // The variable's two sizes; {1, 1} for kNoVariable, which drafts that have failed pass.
  SizePair PairOf(std::int16_t variable) const {
    if (variable == kNoVariable) return {1, 1};
    return {large_.sizes()[variable].value, large_.sizes()[variable].small};
  }
  bool failed() const { return failed_; }

  // Makes every unused value an output; with `all` also unused results besides the first of their
  // operator. False when there is no output.
  bool Finish(bool all);
  // Adds a value that is used elsewhere as an output.
  void AddOutput(ValueId id);
  // Finds formulas for input sizes that were drawn to fit a result (derived_sizes.h). To be called
  // on a finished graph, before MakeSymbolic().
  void DeriveSizes();
  // Marks sizes as symbolic if the graph with its parameters works at any value of them. False when
  // there is none.
  bool MakeSymbolic();

  const OperatorGraph& large() const { return large_; }
  const OperatorGraph& small() const { return small_; }
  const GraphNames& names() const { return names_; }
  int rank(ValueId id) const { return id == kAbsent ? 0 : large_.value(id).type.shape.rank(); }
  // The variable of a size of the value, or kNoVariable.
  std::int16_t VariableAt(ValueId id, int dimension) const;
  // The same; a new variable if it has none.
  std::int16_t SizeAt(std::string_view name, ValueId id, int dimension);
  int Uses(ValueId id) const { return uses_[id]; }
  // Whether the value may have strides that `view` rejects.
  bool LiesScattered(ValueId id) const { return id != kAbsent && scattered_[id]; }

 private:
  // Makes the attributes that were drawn for the two sizes one setting, and binds those that are
  // sizes.
  void Reconcile(const OperatorRow& op);
  bool CompleteOperands(const OperatorRow& op, ValueId first);
  // An existing value that can serve as this operand, or kAbsent.
  ValueId Fitting(const NewTensor& large, const NewTensor& small, ValueId first);
  // Creates an input or parameter; `first` is the operand that it must fit.
  ValueId Create(const OperatorRow& op, const NewTensor& large, const NewTensor& small,
                 ValueId first);
  // The variable of a size of a new tensor that must fit `first`.
  std::int16_t SizeLike(ValueId first, const Shape& large, const Shape& small, int dimension);
  // Gives a result whose sizes are those of the first operand the operand's variables.
  void PassSizes(const Node& node);
  ValueId Apply(const OperatorRow& op);
  // Whether the node has the same number of results and parameters, with the same ranks, at both
  // sizes.
  bool AreAlike(std::size_t node) const;
  // Whether the results may have strides that `view` rejects; true when unknown.
  bool LiesScattered(const Node& node) const;
  bool MeetsDemand(ValueId result) const;
  // The first variable with these sizes whose name begins with `name`.
  std::int16_t Find(std::int64_t large, std::int64_t small, std::string_view name = {}) const;
  // Whether the graph with the same parameters also works at other values of the variables in
  // symbolic_.
  bool HoldsAtOthers();

  Draw draw_{0};
  OperatorGraph large_, small_, tried_;
  GraphNames names_;
  std::vector<int> uses_;
  std::vector<char> scattered_;
  std::vector<ValueId> outputs_;
  std::vector<SizeLink> links_;
  bool failed_ = false;
  std::int64_t least_elements_ = 0, most_elements_ = 0;
  bool floating_ = false;
  // Scratch memory of Insert.
  std::vector<Attribute> attributes_, small_attributes_;
  std::vector<std::int16_t> variables_;
  std::vector<ValueId> operands_;
  std::vector<NewTensor> tensors_, small_tensors_;
  std::vector<std::int64_t> values_;
  std::vector<bool> symbolic_;
};

}  // namespace kernelmill
