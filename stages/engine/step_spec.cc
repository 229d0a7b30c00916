#include "stages/engine/step_spec.h"

#include <algorithm>

namespace kernelmill {

const StepSpec* FindStep(const std::vector<StepSpec>& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const StepSpec& spec) { return spec.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace kernelmill
