// What an answer has to have in common with the reference: __init__ as it stands there, so that
// parameters are made in the same order by the same random numbers, and the names of things.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/lowering/reference_shell.h"
#include "generators/pytorch/pytorch_source.h"

namespace kernelmill {

struct ModuleText {
  std::string imports;      // Beyond those of every answer, a line each; may be empty.
  std::string definitions;  // What the constructor needs of the reference's own; may be empty.
  std::string bases = "nn.Module";
  std::string constructor;          // The lines of __init__, indented by four; may be empty.
  std::vector<std::string> inputs;  // The names of forward()'s arguments.
  // Of each node the Python text of its attributes, where "@" is its first operand: sizes are asked
  // of tensors, as the reference does. What is missing or empty is what the graph has.
  std::vector<std::vector<std::string>> attributes;
  std::vector<bool> modules;        // Of each node, whether a torch.nn module stands for it.
  std::optional<OperatorGraph> other;  // The same at other sizes, where that is known.
  std::vector<std::string> values;     // Of each ValueId what Python calls it: "x", "self.fc.weight".
};

// `reference`: the text at one of the two sizes, written by `plan`.
ModuleText ModuleTextOf(const OperatorGraph& large, const OperatorGraph& small,
                        const SourcePlan& plan, std::string_view reference, SourceSizes at);

// Of a module of others. `own` and `other`: its graph at two sizes. `names`: of each value, as
// Python calls it in forward(), empty for results.
ModuleText ModuleTextOf(const OperatorGraph& own, const OperatorGraph& other,
                        std::vector<std::string> names, ReferenceShell shell);

}  // namespace kernelmill
