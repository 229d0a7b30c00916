// The parts of the reference that an answer keeps: __init__, so that parameters are created in the
// same order from the same random numbers, and the names of inputs, parameters and sizes.
// ReadTaskGraph() (stages/answer/task_graph.h) makes it, and LowerGraph() writes it into each
// answer.
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

// From a captured graph: for every task that the program answers, drawn ones too. `own` and
// `others`: the graph at the task's own sizes and at others. `names`: the Python expression of each
// value in forward(), empty for results. `numbers`: numbers that the module holds, at the task's
// own sizes and at the others.
ModuleText ModuleTextOfCapture(const OperatorGraph& own, std::vector<OperatorGraph> others,
                               std::vector<std::string> names, std::vector<KnownSize> numbers,
                               ReferenceShell shell);

// From the plan that a drawn graph's text was written by, without a worker: for tests and benches.
// `reference` is that text at one of the two sizes.
ModuleText ModuleTextOfPlan(const OperatorGraph& large, const OperatorGraph& small,
                            const SourcePlan& plan, std::string_view reference, SourceSizes at);

}  // namespace kernelmill
