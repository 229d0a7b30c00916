// What an answer has to have in common with the reference: __init__ as it stands there, so that
// parameters are made in the same order by the same random numbers, and the names of things.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "generators/pytorch/source_plan.h"

namespace kernelmill {

struct ModuleText {
  std::string constructor;          // The lines of __init__, indented by four; may be empty.
  std::vector<std::string> inputs;  // The names of forward()'s arguments.
  std::vector<std::string> values;  // Of each ValueId what Python calls it: "x", "self.fc.weight".
};

// `reference`: the text that was written by `plan`.
ModuleText ModuleTextOf(const OperatorGraph& graph, const SourcePlan& plan,
                        std::string_view reference);

}  // namespace kernelmill
