// Writes an operator graph as a PyTorch module in KernelBench's convention: constants for the
// sizes, `Model`, get_inputs() and get_init_inputs(). The generator of tasks
// (generators/graphs/generated_task.h) writes the reference of each task with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/pytorch/source_plan.h"

namespace kernelmill {

enum class SourceSizes : std::uint8_t { kLarge, kSmall };

// Writes one source after another and reuses its memory. Not thread-safe.
class PyTorchSource {
 public:
  // Appends the module's text at the sizes `at`. `small` must be AtSmallSizes(large); the texts for
  // the two sizes differ in numbers only. `seed` chooses among idioms.
  void Append(const OperatorGraph& large, const OperatorGraph& small, const GraphNames& names,
              std::uint64_t seed, SourceSizes at, std::string* text);
  // The plan of the last text, with the names that it uses.
  const SourcePlan& plan() const { return plan_; }

 private:
  void WriteInit();
  // Writes the assignment to self of the module that `node` calls or, for the last node of an
  // nn.Sequential, of the sequence.
  void WriteMember(int node);
  void WriteConstruction(int node);
  void WriteForward();
  void WriteStatement(int node);
  void WriteTargets(int node);
  void WriteReturn();
  void WriteHeader();
  void WriteConstants();
  void WriteFormula(const SizeFormula& formula);
  void WriteInputs();

  // `tightness` is that of the operator around it; 0 between commas.
  void WriteValue(ValueId id, int tightness);
  void WriteCall(int node, int tightness);
  void WriteNeedOfWeights(const Node& node);
  void WriteDevice();
  void WriteSlice(int node);
  void WriteSign(int node, int tightness);
  // Writes the operands from `first` on, without those that the module holds. Returns whether there
  // were any.
  bool WriteOperands(int node, int first, bool separated = false);
  // Writes the attributes that a function takes, after a comma if `separated`.
  void WriteAttributes(int node, bool separated, int first = 0);
  void WriteAttribute(int node, int attribute);
  void WriteLiteral(const OperatorRow& op, const AttributeRow& row, const Attribute& value);
  // Makes the attribute an argument of __init__ and writes its name. False when it stays a literal.
  bool Hoist(int node, int attribute);
  // Writes the expression that draws a tensor like this one.
  void WriteDraw(ValueId id);
  // Writes the exclusive upper bound of an integer input: the size that the integers are indices
  // of, if there is one.
  void WriteBound(ValueId id);
  // Finds the comparison that draws a bool tensor whose `all` or `any` is computed.
  void WriteTruth(ValueId id, std::string* truth);
  void WriteName(const SourceName& name);
  // Writes the size's variable or, if it has none, its number.
  void WriteSize(ValueId id, int dimension);
  void WriteVariable(std::int16_t variable);
  // Marks the variable, and those that its formula needs, as used, so that constants for them are
  // written.
  void Use(std::int16_t variable);
  std::int16_t VariableOf(ValueId id, int dimension) const;
  std::int16_t VariableOf(std::int64_t large, std::int64_t small) const;
  // Writes the sizes of a tuple attribute, by name if they have one.
  void WriteSizes(int node, int attribute);
  // Writes x.size(0) if the node's first operand has this size.
  bool WriteSizeCall(int node, std::int16_t variable);
  bool IsWritten(const Node& node, int attribute) const;

  const OperatorGraph* large_ = nullptr;
  const OperatorGraph* small_ = nullptr;
  const OperatorGraph* graph_ = nullptr;  // The graph at the sizes that are written.
  SourcePlan plan_;
  std::string init_, forward_, inputs_;
  std::string* out_ = nullptr;  // The string that the Write functions append to.
  bool in_forward_ = false;
  // A value that gets another name in this statement is still read under its old name.
  ValueId alias_ = kAbsent;
  SourceName alias_name_;
  struct Hoisted {
    std::string_view name;
    int node, attribute;
    bool on_self;  // forward() reads it.
  };
  std::vector<Hoisted> hoisted_;
  // By size variable: it is used; it is an argument of __init__; forward() reads it from self.
  std::vector<char> used_, in_init_, on_self_;
};

}  // namespace kernelmill
