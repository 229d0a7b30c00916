// The tolerance within which a candidate's result must match the reference, by dtype. The judge
// applies it, prompts state it, and checks that rows contain use it.
#pragma once

#include <string_view>

namespace kernelmill {

// KernelBench's tolerances, used both as the relative and as the absolute one. Integers and bools
// must be equal.
constexpr double ToleranceOf(std::string_view dtype) {
  return dtype == "float16" || dtype == "bfloat16" ? 1e-2 : 1e-4;
}

}  // namespace kernelmill
