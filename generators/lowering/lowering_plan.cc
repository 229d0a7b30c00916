#include "generators/lowering/lowering_plan.h"

#include "generators/lowering/code_template.h"
#include "manifests/json_fields.h"

namespace kernelmill {

std::string LoweringPlan::Text() const {
  std::string text;
  for (const PlannedStep& step : steps) {
    text += Join(step.results, ", ") + " = ";
    if (step.function < 0) {
      text += step.view + '\n';
      continue;
    }
    const KernelPlan& kernel = kernels[step.kernel];
    text += functions[step.function].name + '(' + Join(step.arguments, ", ") +
            "): " + std::string(kernel.strategy) + ", " +
            Join(functions[step.function].kernels, ", ") + " with " + kernel.grid + " blocks of " +
            std::to_string(kernel.threads) + '\n';
  }
  return text + "return " + Join(results, ", ") + '\n';
}

Json LoweringPlan::ToJson() const {
  Json::Array lines;
  for (const PlannedStep& step : steps) {
    Json::Object line = {{"results", kernelmill::ToJson(step.results)}};
    if (step.function < 0) {
      line["view"] = step.view;
    } else {
      const KernelPlan& kernel = kernels[step.kernel];
      line["function"] = functions[step.function].name;
      line["arguments"] = kernelmill::ToJson(step.arguments);
      line["strategy"] = kernel.strategy;
      line["kernels"] = kernelmill::ToJson(functions[step.function].kernels);
      line["grid"] = kernel.grid;
      line["threads"] = kernel.threads;
      line["shared_bytes"] = kernel.shared_bytes;
    }
    lines.emplace_back(std::move(line));
  }
  return Json::Object{{"backend", backend->name},
                      {"steps", std::move(lines)},
                      {"returns", kernelmill::ToJson(results)}};
}

}  // namespace kernelmill
