// Pieces of kernel text that all kernels for sums of products share (contraction_spec.h):
// declarations of indices and axes, the multiply-add, and the epilogue that stores results. Called
// by strategies/contractions.cc and strategies/split_sums.cc.
#pragma once

#include <string>

#include "generators/lowering/call_plan.h"
#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/strategy.h"

namespace kernelmill {

// Declares the variable `index` (group, m or n) if `code` uses it.
std::string IndexLine(const GroupScope& scope, const std::string& code, const std::string& index,
                      const std::string& value);
// Declares the axes of group, m and n that `code` uses.
std::string AxisLines(const GroupScope& scope, const ContractionSpec& spec,
                      const std::string& code);
// The statements that add one product to `acc`; `a` is the value of the first factor.
std::string MultiplyAddText(const ContractionSpec& spec, const std::string& a);
// The statements that store the result of the sum `acc`, in terms of the axes of group, m and n.
std::string EpilogueText(GroupScope* scope, const ContractionSpec& spec);

// "Computes linear and relu": the beginning of a kernel's comment.
std::string CommentIntroOf(const GroupScope& scope);
// The plan of a kernel with 256 threads per block.
CallPlan PlanOfContraction(const GroupScope& scope, const ContractionSpec& spec,
                           const std::string& kernel);

}  // namespace kernelmill
