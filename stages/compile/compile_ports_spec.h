// Defines the entry of "compile_ports" in the step table (stages/recipes/step_table.cc).
#pragma once

#include "stages/engine/step_spec.h"

namespace kernelmill {

StepSpec CompilePortsSpec();

}  // namespace kernelmill
