#include "stages/engine/joint_derivation.h"

#include <algorithm>

namespace kernelmill {

Derivation JointDerivation(const Run& run, std::string name,
                           const std::vector<std::string>& steps) {
  Derivation derivation;
  derivation.step = std::move(name);
  Json::Object parameters;
  for (const auto& [plan, counts] : run.finished()) {
    if (std::find(steps.begin(), steps.end(), plan.step) == steps.end()) continue;
    derivation.version = std::max(derivation.version, plan.version);
    parameters[plan.step] = plan.parameters;
  }
  derivation.parameters = DigestOf(Json(std::move(parameters)).Dump());
  return derivation;
}

}  // namespace kernelmill
