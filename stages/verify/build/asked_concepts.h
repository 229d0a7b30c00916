// Concepts that a text asks in host code for functions of the device. A requires-expression asks
// for no side under nvcc. Clang looks for functions of the side that asks, but not at namespace
// scope, and keeps what it has found: so a text asks there first, in the check in CUDA mode
// (cuda_mode_check.h).
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// The text with a static_assert for each class that does not satisfy a concept, as the compiler's
// log says, behind the definitions of both. Those whose definitions it does not find are left out.
std::string WithConceptsAsked(std::string_view text, std::string_view log);

}  // namespace kernelmill
