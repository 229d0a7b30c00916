// The parts of the reference that an answer keeps: __init__, so that parameters are created in the
// same order from the same random numbers, and the names of inputs, parameters and sizes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/lowering/reference_shell.h"
#include "generators/lowering/sizes/size_text.h"
#include "generators/pytorch/pytorch_source.h"

namespace kernelmill {

struct ModuleText {
  std::string imports;      // Imports beyond those of every answer, one per line; may be empty.
  std::string definitions;  // Definitions that the constructor needs; may be empty.
  std::string bases = "nn.Module";
  std::string constructor;          // The lines of __init__, indented by four; may be empty.
  std::vector<std::string> inputs;  // The names of forward()'s arguments.
  // By node, the Python text of each attribute, with "@" for its first operand: sizes are taken
  // from tensors, as in the reference. A missing or empty text stands for the graph's value.
  std::vector<std::vector<std::string>> attributes;
  std::vector<bool> modules;  // By node: whether the reference computes it with a torch.nn module.
  std::vector<OperatorGraph> others;  // The graph at other sizes, if they are known.
  std::vector<std::string> values;    // By ValueId, the Python expression: "x", "self.fc.weight".
};

// For a generated module. `reference` is its text at one of the two sizes, and `plan` the plan it
// was written by.
ModuleText ModuleTextOf(const OperatorGraph& large, const OperatorGraph& small,
                        const SourcePlan& plan, std::string_view reference, SourceSizes at);

// For a module that was not generated. `own` and `others`: its graph at its own sizes and at
// others. `names`: the Python expression of each value in forward(), empty for results. `numbers`:
// numbers that the module holds, at its own sizes and at the others.
ModuleText ModuleTextOf(const OperatorGraph& own, std::vector<OperatorGraph> others,
                        std::vector<std::string> names, std::vector<KnownSize> numbers,
                        ReferenceShell shell);

}  // namespace kernelmill
