// The reference with the buffers that its forward() changes, such as the running statistics of
// training mode.
#include "stages/verify/reference/reference_runs.h"

namespace kernelmill {

Result<const ReferenceRun*> ReferenceRuns::ModuleBuffers() {
  if (base().module_buffers.empty()) return static_cast<const ReferenceRun*>(nullptr);
  const auto [place, fresh] = module_buffers_.try_emplace(used_);
  if (fresh) {
    KM_ASSIGN(place->second, Run(kModuleBuffers, bases_.at(used_).sizes, {"own"}));
    if (place->second != nullptr && place->second->trials.empty()) place->second.reset();
  }
  return static_cast<const ReferenceRun*>(place->second.get());
}

}  // namespace kernelmill
