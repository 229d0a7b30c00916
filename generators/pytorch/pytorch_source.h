// A graph as the PyTorch module that somebody would have written: `Model`, the sizes as constants
// of the module, get_inputs() and get_init_inputs(), as KernelBench has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/pytorch/source_plan.h"

namespace kernelmill {

enum class SourceSizes : std::uint8_t { kLarge, kSmall };

// Writes one source after another in the same memory.
class PyTorchSource {
 public:
  // Appends the module's text. `small` is AtSmallSizes(large); the texts of the two sizes differ in
  // numbers only. `seed` decides between idioms.
  void Append(const OperatorGraph& large, const OperatorGraph& small, const GraphNames& names,
              std::uint64_t seed, SourceSizes at, std::string* text);
  // What the last text calls things.
  const SourcePlan& plan() const { return plan_; }

 private:
  void WriteInit();
  // The module that `node` calls, or, at its last, a sequence of them.
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

  // `tightness` is that of the sign around it; 0 between commas.
  void WriteValue(ValueId id, int tightness);
  void WriteCall(int node, int tightness);
  void WriteNeedOfWeights(const Node& node);
  void WriteDevice();
  void WriteSlice(int node);
  void WriteSign(int node, int tightness);
  // Operands from `first` on, without those that a module has itself; whether there were any.
  bool WriteOperands(int node, int first, bool separated = false);
  // The attributes that a function takes, behind operands where `separated`.
  void WriteAttributes(int node, bool separated, int first = 0);
  void WriteAttribute(int node, int attribute);
  void WriteLiteral(const OperatorRow& op, const AttributeRow& row, const Attribute& value);
  // Makes the attribute an argument of __init__ and writes its name; false where it stays a
  // literal.
  bool Hoist(int node, int attribute);
  // The expression that draws a tensor like this one.
  void WriteDraw(ValueId id);
  // Behind the greatest number of integers: the size that they are indices of, where there is one.
  void WriteBound(ValueId id);
  // What decides about the truth of a tensor of bools, where all or any of it is asked for.
  void WriteTruth(ValueId id, std::string* truth);
  void WriteName(const SourceName& name);
  // The variable where the size is one, else the number that it is at these sizes.
  void WriteSize(ValueId id, int dimension);
  void WriteVariable(std::int16_t variable);
  // Its constant is written, and those that it follows from.
  void Use(std::int16_t variable);
  std::int16_t VariableOf(ValueId id, int dimension) const;
  std::int16_t VariableOf(std::int64_t large, std::int64_t small) const;
  // Sizes one after another, by name where they have one.
  void WriteSizes(int node, int attribute);
  // x.size(0), where the node's first operand has this size.
  bool WriteSizeCall(int node, std::int16_t variable);
  bool IsWritten(const Node& node, int attribute) const;

  const OperatorGraph* large_ = nullptr;
  const OperatorGraph* small_ = nullptr;
  const OperatorGraph* graph_ = nullptr;  // The one of these sizes.
  SourcePlan plan_;
  std::string init_, forward_, inputs_;
  std::string* out_ = nullptr;  // Where the Write functions append.
  bool in_forward_ = false;
  // A value that moves to another name in this statement is still read under the old one.
  ValueId alias_ = kAbsent;
  SourceName alias_name_;
  struct Hoisted {
    std::string_view name;
    int node, attribute;
    bool on_self;  // forward reads it.
  };
  std::vector<Hoisted> hoisted_;
  // Of each size variable: it is written at all; __init__ takes it; forward reads it from self.
  std::vector<char> used_, in_init_, on_self_;
};

}  // namespace kernelmill
