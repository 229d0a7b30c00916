// How far a result may be from the reference's.
#pragma once

#include <string_view>

namespace kernelmill {

// KernelBench's: relative, and absolute too. Whole numbers and bools have to be equal.
constexpr double ToleranceOf(std::string_view dtype) {
  return dtype == "float16" || dtype == "bfloat16" ? 1e-2 : 1e-4;
}

}  // namespace kernelmill
