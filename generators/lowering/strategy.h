// Ways to compute a group. A strategy is one function behind this interface; which exist stands in
// one table (strategy.cc).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "generators/lowering/group_scope.h"
#include "generators/lowering/kernel_plan.h"

namespace kernelmill {

// What a strategy makes of a group.
struct GroupCode {
  std::string device;  // Kernels and the functions that they call.
  // What the host function does once outputs are allocated and are not empty.
  std::string launch;
  // Statements before the outputs are allocated: checks, copies into another layout.
  std::string prepare;
  KernelPlan plan;  // Without what LowerGraph() knows of every group.
};

struct Strategy {
  std::string_view name;
  std::string_view explanation;
  bool (*fits)(const OperatorGraph& graph, const FusionGroup& group);
  GroupCode (*write)(GroupScope* scope);
};

// In order of preference: the one that a good engineer would try first comes first.
std::span<const Strategy> AllStrategies();

// The whole of a kernel: its signature with the parameters that `body` uses.
struct WrittenKernel {
  std::string text;
  std::vector<LaunchParameter> parameters;
};
// `extra`: parameters that the scope does not know. `attributes`: " __launch_bounds__(256)".
WrittenKernel WriteKernel(const GroupScope& scope, const std::string& name,
                          const std::string& comment, const std::string& body,
                          const std::vector<LaunchParameter>& extra = {},
                          std::string_view attributes = "");
// "name<<<blocks, threads, shared, stream>>>(…);" and the check behind it.
std::string WriteLaunch(const GroupScope& scope, const std::string& name,
                        const WrittenKernel& kernel, std::string_view grid, std::string_view block,
                        std::string_view shared = "0");

// Operators in words: "conv2d, then relu and mul".
std::string OperatorsInWords(const OperatorGraph& graph, const FusionGroup& group);

}  // namespace kernelmill
