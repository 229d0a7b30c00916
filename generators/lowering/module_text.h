// The parts of the reference that its answers keep: __init__, so that parameters are created in the
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
  std::string imports;      // Beyond those of every answer, a line each; may be empty.
  std::string definitions;  // Definitions that the constructor needs; may be empty.
  std::string bases = "nn.Module";
  std::string constructor;          // The lines of __init__, indented by four; may be empty.
  std::vector<std::string> inputs;  // The names of forward()'s arguments.
  // Of each node the Python text of its attributes, where "@" is its first operand: sizes are asked
  // of tensors, as the reference does. What is missing or empty is what the graph has.
  std::vector<std::vector<std::string>> attributes;
  std::vector<bool> modules;        // Of each node, whether a torch.nn module stands for it.
  std::vector<OperatorGraph> others;  // The same at other sizes, where they are known.
  std::vector<std::string> values;     // Of each ValueId what Python calls it: "x", "self.fc.weight".
};

// `reference`: the text at one of the two sizes, written by `plan`.
ModuleText ModuleTextOf(const OperatorGraph& large, const OperatorGraph& small,
                        const SourcePlan& plan, std::string_view reference, SourceSizes at);

// Of a module of others. `own` and `others`: its graph at its own sizes and at others. `names`: of
// each value, as Python calls it in forward(), empty for results. `numbers`: what the module holds,
// at its own sizes and at the others.
ModuleText ModuleTextOf(const OperatorGraph& own, std::vector<OperatorGraph> others,
                        std::vector<std::string> names, std::vector<KnownSize> numbers,
                        ReferenceShell shell);

}  // namespace kernelmill
