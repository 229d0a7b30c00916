// The reference with other values for the parameters that its constructor fills with a constant
// (stages/worker/torch_worker/other_parameters.py).
#include "stages/verify/reference/reference_runs.h"

namespace kernelmill {

Result<const ReferenceRun*> ReferenceRuns::OtherParameters() {
  if (!base().parameters.is_array() || base().parameters.as_array().empty()) {
    return static_cast<const ReferenceRun*>(nullptr);
  }
  const auto [place, fresh] = other_parameters_.try_emplace(used_);
  if (fresh) {
    KM_ASSIGN(place->second, Run(kOtherParameters, bases_.at(used_).sizes, {"own", "own"}));
    fault_.reset();
    if (place->second != nullptr && place->second->trials.empty()) place->second.reset();
  }
  return static_cast<const ReferenceRun*>(place->second.get());
}

}  // namespace kernelmill
