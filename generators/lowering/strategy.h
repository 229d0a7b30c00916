// Strategies: each computes one kind of groups with one design of kernels. strategies/families.h
// lists the functions that add them to the table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "generators/lowering/call_plan.h"
#include "generators/lowering/device_definition.h"
#include "generators/lowering/group_scope.h"

namespace kernelmill {

// The code that a strategy writes for a group.
struct GroupCode {
  DeviceDefinitions definitions;  // Kernels and the definitions that they use, in source order.
  // Host statements that run before the outputs are allocated: checks, copies to another layout.
  std::string before_outputs;
  // Host statements that run after the outputs are allocated, unless the outputs have no elements.
  std::string after_outputs;
  CallPlan plan;  // The planner adds the facts that it knows for every group.
};

struct Strategy {
  std::string_view name;
  std::string_view explanation;
  bool (*fits)(const OperatorGraph& graph, const FusionGroup& group);
  GroupCode (*write)(GroupScope* scope);
};

// In order of preference: the first one that fits is what a good engineer would try first.
std::span<const Strategy> AllStrategies();

// A kernel whose parameters are those that its body uses.
struct WrittenKernel {
  DeviceDefinition definition;
  std::vector<LaunchParameter> parameters;
};
// `extra`: parameters that are not in the scope. `attributes` begins with a space:
// " __launch_bounds__(256)".
WrittenKernel WriteKernel(const GroupScope& scope, const std::string& name,
                          const std::string& comment, const std::string& body,
                          const std::vector<LaunchParameter>& extra = {},
                          std::string_view attributes = "");
// "name<<<blocks, threads, shared, stream>>>(…);" followed by the check for launch errors.
std::string WriteLaunch(const GroupScope& scope, const std::string& name,
                        const WrittenKernel& kernel, std::string_view grid, std::string_view block,
                        std::string_view shared = "0");

// The names of the operators: "conv2d, relu and mul".
std::string OperatorsInWords(const OperatorGraph& graph, const FusionGroup& group);

}  // namespace kernelmill
