// A graph in the making, at its large and its small sizes at once, so that whatever is added fits
// at both.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/graphs/size_draw.h"
#include "generators/pytorch/source_plan.h"

namespace kernelmill {

// A size that is a variable, or a number as it stands.
struct Extent {
  std::int64_t number = -1;
  std::int16_t variable = kNoVariable;

  static Extent Of(std::int16_t variable) { return {-1, variable}; }
};

// An attribute that is set on purpose.
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
  // A size of its own.
  static DraftArgument Size(std::string_view name, std::int16_t variable) {
    DraftArgument argument(name, Attribute());
    argument.variable = variable;
    return argument;
  }
};

class GraphDraft {
 public:
  void Clear(std::uint64_t seed);
  Draw& draw() { return draw_; }

  // The variable of these sizes where there is one, else a new one.
  std::int16_t Size(std::string_view name, std::int64_t large, std::int64_t small);
  // As Size(), of a variable whose name begins with `name`: another may be as large by chance.
  std::int16_t SizeNamed(std::string_view name, std::int64_t large, std::int64_t small);
  // A variable of its own; its name gets a number where it is taken.
  std::int16_t NewSize(std::string_view name, std::int64_t large, std::int64_t small);
  // An input of the variables' sizes; `name` may be empty.
  ValueId Input(std::string_view name, DType dtype, std::span<const std::int16_t> sizes,
                const Range& range, InputLayout layout = InputLayout::kContiguous);

  // Indices into a table of `rows`.
  ValueId InputIndices(std::string_view name, std::span<const std::int16_t> sizes,
                       const SizePair& rows);
  // A parameter that no module has: a bias, a table of positions.
  ValueId Parameter(std::string_view name, DType dtype, std::initializer_list<Extent> extents,
                    const Range& range = Range::Normal(1));
  DType dtype(ValueId id) const {
    return id == kAbsent ? DType::kFloat32 : large_.value(id).type.dtype;
  }

  // Applies `op` to `first`, and to whatever else it takes: values that are there, or new inputs
  // and parameters. Attributes are drawn. kAbsent where it does not fit, with nothing changed.
  ValueId Insert(const OperatorRow& op, ValueId first);
  // What Insert's results may be: of so many elements at large sizes, and floating.
  void Demand(std::int64_t least, std::int64_t most, bool floating) {
    least_elements_ = least;
    most_elements_ = most;
    floating_ = floating;
  }
  // What the rows' rules make of nothing: a tensor of ones, a range of numbers.
  ValueId Create(const OperatorRow& op);
  // An input like this value.
  ValueId InputLike(ValueId id);
  // To take back what was added since.
  struct Mark {
    OperatorGraph::Mark large, small;
  };
  Mark mark() const { return {large_.mark(), small_.mark()}; }
  void Rewind(const Mark& mark);
  // Applies what the author wants; `member` is what a module is called. Where one does not fit, the
  // draft has failed, and so does all that comes after.
  ValueId Call(std::string_view op, std::initializer_list<ValueId> operands,
               std::initializer_list<DraftArgument> arguments = {}, std::string_view member = {});
  // What follows finds a size of `id` by this variable, not by how much it is. Returns `id`.
  ValueId Bind(ValueId id, int dimension, std::int16_t variable);
  // Two slices: the first `size` elements along `dim`, and what follows them.
  std::pair<ValueId, ValueId> CutAt(ValueId x, int dim, std::int16_t size);
  void Name(ValueId id, std::string_view name);
  // A tuple of sizes or other numbers.
  DraftArgument Tuple(std::string_view name, std::initializer_list<Extent> extents) const;
  // {1, 1} of kNoVariable, as drafts that have failed ask for it.
  SizePair PairOf(std::int16_t variable) const {
    if (variable == kNoVariable) return {1, 1};
    return {large_.sizes()[variable].value, large_.sizes()[variable].small};
  }
  bool failed() const { return failed_; }

  // Makes outputs of what nothing uses; `all` also of results beside the first of their operator.
  // False where there is nothing to give back.
  bool Finish(bool all);
  // Adds an output that other values are computed from too.
  void AddOutput(ValueId id);
  // Finds what sizes of inputs are that were drawn to fit a result: the same as others, or formulas
  // of them. When the graph is finished, before MakeSymbolic().
  void DeriveSizes();
  // Marks sizes as symbolic where the graph, and the parameters that it has, allow any value of them.
  bool MakeSymbolic();

  const OperatorGraph& large() const { return large_; }
  const OperatorGraph& small() const { return small_; }
  const GraphNames& names() const { return names_; }
  int rank(ValueId id) const { return id == kAbsent ? 0 : large_.value(id).type.shape.rank(); }
  // The variable that a size of a value is, or kNoVariable.
  std::int16_t VariableAt(ValueId id, int dimension) const;
  // The same, and a new one where it is none yet.
  std::int16_t SizeAt(std::string_view name, ValueId id, int dimension);
  int Uses(ValueId id) const { return uses_[id]; }
  // Whether it may have strides that `view` does not take.
  bool LiesScattered(ValueId id) const { return id != kAbsent && scattered_[id]; }

 private:
  // Makes what was drawn for both sizes one setting, and binds what are sizes.
  void Reconcile(const OperatorRow& op);
  bool CompleteOperands(const OperatorRow& op, ValueId first);
  // A value that is there and may serve as this operand, or kAbsent.
  ValueId Fitting(const NewTensor& large, const NewTensor& small, ValueId first);
  // `first`: which it is to fit.
  ValueId Create(const OperatorRow& op, const NewTensor& large, const NewTensor& small,
                 ValueId first);
  // The variable that a new tensor's size is where it is to fit `first`.
  std::int16_t SizeLike(ValueId first, const Shape& large, const Shape& small, int dimension);
  // Results whose sizes are those of the first operand have their variables.
  void PassSizes(const Node& node);
  ValueId Apply(const OperatorRow& op);
  // Whether a node has as many results and parameters, of the same ranks, at both sizes.
  bool AreAlike(std::size_t node) const;
  // Whether results may have strides that `view` does not take; true where that is not known.
  bool LiesScattered(const Node& node) const;
  bool MeetsDemand(ValueId result) const;
  // The first of these sizes whose name begins with `name`.
  std::int16_t Find(std::int64_t large, std::int64_t small, std::string_view name = {}) const;
  // Whether it is the same with the same parameters at other values of what symbolic_ says.
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
  // Memory of Insert.
  std::vector<Attribute> attributes_, small_attributes_;
  std::vector<std::int16_t> variables_;
  std::vector<ValueId> operands_;
  std::vector<NewTensor> tensors_, small_tensors_;
  std::vector<std::int64_t> values_;
  std::vector<bool> symbolic_;
};

}  // namespace kernelmill
