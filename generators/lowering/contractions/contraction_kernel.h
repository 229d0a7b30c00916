// Parts that all contraction kernels share: declarations of axes, the multiply-add, and the
// epilogue that stores results.
#pragma once

#include <string>

#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/kernel_plan.h"
#include "generators/lowering/strategy.h"

namespace kernelmill {

// Declares group, m or n where `code` uses it.
std::string IndexLine(const GroupScope& scope, const std::string& code, const std::string& index,
                      const std::string& value);
// Declares those axes of group, m and n that `code` uses.
std::string AxisLines(const GroupScope& scope, const ContractionSpec& spec,
                      const std::string& code);
// Adds one product to `acc`; `a` is the first factor's value.
std::string ProductText(const ContractionSpec& spec, const std::string& a);
// What becomes of the sum `acc`, in terms of the axes of group, m and n.
std::string EndText(GroupScope* scope, const ContractionSpec& spec);

// "Computes linear and relu": how a kernel's comment begins.
std::string IntroOf(const GroupScope& scope);
// Of a kernel with 256 threads a block.
KernelPlan PlanOfContraction(const GroupScope& scope, const ContractionSpec& spec,
                             const std::string& kernel);

}  // namespace kernelmill
