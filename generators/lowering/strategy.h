// Strategies: each computes groups of one kind by kernels of one design. strategies/families.h
// lists the functions that add them to the table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "generators/lowering/device_definition.h"
#include "generators/lowering/group_scope.h"
#include "generators/lowering/kernel_plan.h"

namespace kernelmill {

// What a strategy makes of a group.
struct GroupCode {
  DeviceDefinitions definitions;  // Kernels and what they call, in the order of the source.
  // Statements of the host function once outputs are allocated and are not empty.
  std::string launch;
  // Statements before outputs are allocated: checks, copies into another layout.
  std::string prepare;
  KernelPlan plan;  // The planner adds what it knows of every group.
};

struct Strategy {
  std::string_view name;
  std::string_view explanation;
  bool (*fits)(const OperatorGraph& graph, const FusionGroup& group);
  GroupCode (*write)(GroupScope* scope);
};

// In order of preference: the strategy that a good engineer would try first comes first.
std::span<const Strategy> AllStrategies();

// A kernel whose signature has the parameters that its body uses.
struct WrittenKernel {
  DeviceDefinition definition;
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
