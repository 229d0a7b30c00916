#include "generators/lowering/lowering_plan.h"

#include "generators/lowering/code_template.h"
#include "manifests/json_fields.h"

namespace kernelmill {

std::string LoweringPlan::Text() const {
  std::string text;
  for (const PlannedLine& line : lines) {
    text += Join(line.results, ", ") + " = ";
    if (line.function < 0) {
      text += line.view + '\n';
      continue;
    }
    const KernelPlan& kernel = kernels[line.kernel];
    text += functions[line.function].name + '(' + Join(line.arguments, ", ") +
            "): " + std::string(kernel.strategy) + ", " +
            Join(functions[line.function].kernels, ", ") + " with " + kernel.grid + " blocks of " +
            std::to_string(kernel.threads) + '\n';
  }
  return text + "return " + Join(results, ", ") + '\n';
}

Json LoweringPlan::ToJson() const {
  Json::Array steps;
  for (const PlannedLine& planned : lines) {
    Json::Object line = {{"results", kernelmill::ToJson(planned.results)}};
    if (planned.function < 0) {
      line["view"] = planned.view;
    } else {
      const KernelPlan& kernel = kernels[planned.kernel];
      line["function"] = functions[planned.function].name;
      line["arguments"] = kernelmill::ToJson(planned.arguments);
      line["strategy"] = kernel.strategy;
      line["kernels"] = kernelmill::ToJson(functions[planned.function].kernels);
      line["grid"] = kernel.grid;
      line["threads"] = kernel.threads;
      line["shared_bytes"] = kernel.shared_bytes;
    }
    steps.emplace_back(std::move(line));
  }
  return Json::Object{{"backend", backend->name},
                      {"steps", std::move(steps)},
                      {"returns", kernelmill::ToJson(results)}};
}

}  // namespace kernelmill
