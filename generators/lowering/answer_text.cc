#include "generators/lowering/answer_text.h"

#include <algorithm>
#include <set>

#include "generators/lowering/code_template.h"
#include "manifests/invariant.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostOfExtensionName = 40;

// Removes newlines at both ends, and all but one empty line elsewhere.
std::string Trimmed(std::string text) {
  while (text.starts_with('\n')) text.erase(0, 1);
  while (text.ends_with('\n')) text.pop_back();
  for (std::size_t at = text.find("\n\n\n"); at != text.npos; at = text.find("\n\n\n", at)) {
    text.erase(at, 1);
  }
  return text;
}

// The device source: each definition once, followed by the host functions that need it.
std::string SourceText(const LoweringPlan& plan) {
  std::vector<std::string> parts;
  std::set<std::string> defined;
  for (const PlannedFunction& function : plan.functions) {
    for (const DeviceDefinition& definition : function.definitions) {
      if (defined.insert(definition.name).second) parts.push_back(Trimmed(definition.text));
    }
    parts.push_back(Trimmed(function.host.definition));
  }
  return Join(parts, "\n\n");
}

std::string ForwardText(const LoweringPlan& plan) {
  std::string text;
  bool returned = false;
  for (const PlannedLine& line : plan.lines) {
    // If the last line assigns exactly what forward() returns, its expression is returned directly.
    returned =
        &line == &plan.lines.back() && plan.results.size() == 1 && plan.results == line.results;
    const std::string target = Join(line.results, ", ") + " = ";
    std::string expression = line.view;
    if (line.function >= 0) {
      // Break the line as for an assignment, so that both forms look alike.
      const std::string call = target + "ops." + plan.functions[line.function].name + '(';
      expression = CallText(call, line.arguments, ")").substr(target.size());
    }
    text += (returned ? "return " : target) + expression + '\n';
  }
  return returned ? text : text + "return " + Join(plan.results, ", ") + '\n';
}

}  // namespace

std::string AnswerText(const LoweringPlan& plan, const ModuleText& module) {
  KM_CHECK(!plan.functions.empty(), "an answer without functions");
  std::string declarations, arguments;
  std::set<std::string> names;  // A set, for alphabetical order.
  for (const PlannedFunction& function : plan.functions) {
    declarations += function.host.declaration;
    names.insert(function.name);
  }
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back('"' + name + '"');
  for (const std::string& name : module.inputs) arguments += ", " + name;
  std::string constructor = module.constructor;
  if (!constructor.empty()) constructor += '\n';
  std::string definitions = module.definitions;
  if (!definitions.empty()) definitions += "\n\n";
  const KernelBackend& backend = *plan.backend;
  return FillHoles(
      R"(
import torch
import torch.nn as nn
@own_imports@
@imports@

@name@_source = r"""
@headers@

@source@
"""

cpp_source = r"""
@declarations@
"""

ops = load_inline(
    name="@extension@",
    cpp_sources=cpp_source,
    @sources@=@name@_source,
    functions=[@functions@],
    @flags@=["-O3"],
)


@definitions@
class ModelNew(@bases@):
@constructor@
    def forward(self@arguments@):
        @forward@
)",
      {{"imports", std::string(backend.loader_imports)},
       {"own_imports", module.imports},
       {"definitions", definitions},
       {"bases", module.bases},
       {"name", std::string(backend.name)},
       {"headers", plan.headers},
       {"source", SourceText(plan)},
       {"declarations", declarations},
       {"extension",
        names.begin()->substr(0, kMostOfExtensionName) + "_" + std::string(backend.name)},
       {"sources", std::string(backend.sources_keyword)},
       {"functions", Join(quoted, ", ")},
       {"flags", std::string(backend.flags_keyword)},
       {"constructor", constructor},
       {"arguments", arguments},
       {"forward", ForwardText(plan)}});
}

}  // namespace kernelmill
