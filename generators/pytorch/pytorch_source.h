// A graph as the PyTorch module that somebody would have written: `Model`, the sizes as constants of
// the module, get_inputs() and get_init_inputs(), as KernelBench has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/pytorch/source_plan.h"

namespace kernelmill {

enum class AtSizes : std::uint8_t { kLarge, kSmall };

// Writes one source after another in the same memory.
class PyTorchSource {
 public:
  // Appends the module's text. `small` is AtSmallSizes(large); the texts of the two sizes differ in
  // numbers only. `seed` decides between idioms.
  void Append(const OperatorGraph& large, const OperatorGraph& small, const GraphNames& names,
              std::uint64_t seed, AtSizes at, std::string* text);

 private:
  void WriteInit();
  void WriteMember(int node);
  void WriteForward();
  void WriteStatement(int node, bool last);
  void WriteReturn();
  void WriteHeader();
  void WriteConstants();
  void WriteInputs();

  // `tightness` is that of the sign around it; 0 between commas.
  void WriteValue(ValueId id, int tightness);
  void WriteCall(int node, int tightness);
  void WriteSign(int node, int tightness);
  // Operands from `first` on, then the attributes that the spelling takes.
  void WriteArguments(int node, int first, bool separated);
  void WriteAttribute(int node, int attribute);
  void WriteName(const SourceName& name);
  // The variable where the size is one, else the number that it is at these sizes.
  void WriteSize(ValueId id, int dimension);
  void WriteVariable(std::int16_t variable);
  std::int16_t VariableOf(ValueId id, int dimension) const;
  bool IsWritten(const Node& node, int attribute) const;

  const OperatorGraph* large_ = nullptr;
  const OperatorGraph* small_ = nullptr;
  const OperatorGraph* graph_ = nullptr;  // The one of these sizes.
  SourcePlan plan_;
  std::string init_, forward_;
  std::string* out_ = nullptr;  // Where the Write functions append.
  bool in_forward_ = false;
  // Of each size variable: __init__ takes it; forward reads it from self.
  std::vector<char> in_init_, on_self_;
};

}  // namespace kernelmill
