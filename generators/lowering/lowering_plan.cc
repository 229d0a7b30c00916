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
    const CallPlan& call = calls[line.call];
    text += functions[line.function].name + '(' + Join(line.arguments, ", ") +
            "): " + std::string(call.strategy) + ", " +
            Join(functions[line.function].kernels, ", ") + " with " + call.grid + " blocks of " +
            std::to_string(call.threads) + '\n';
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
      const CallPlan& call = calls[planned.call];
      line["function"] = functions[planned.function].name;
      line["arguments"] = kernelmill::ToJson(planned.arguments);
      line["strategy"] = call.strategy;
      line["kernels"] = kernelmill::ToJson(functions[planned.function].kernels);
      line["grid"] = call.grid;
      line["threads"] = call.threads;
      line["shared_bytes"] = call.shared_bytes;
    }
    steps.emplace_back(std::move(line));
  }
  return Json::Object{{"backend", backend->name},
                      {"steps", std::move(steps)},
                      {"returns", kernelmill::ToJson(results)}};
}

}  // namespace kernelmill
