// Parts that all kernels along rows share, whether a thread, a warp or a block computes a row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generators/lowering/device_definition.h"
#include "generators/lowering/kernel_plan.h"
#include "generators/lowering/rows/row_spec.h"

namespace kernelmill {

// The device functions warp_merge(state) and block_merge(state, scratch), which calls the former.
DeviceDefinition WarpMerge();
DeviceDefinition BlockMerge();

class RowWriter {
 public:
  // Both outlive this.
  RowWriter(GroupScope* scope, const RowSpec& spec) : scope_(*scope), spec_(spec) {}

  // Adds the structs of the passes' states, each once.
  void AddStates(DeviceDefinitions* definitions) const;
  // The bytes of one of each pass.
  std::int64_t StateBytes() const;
  // The statements of one element: its position, and `value`.
  std::string Load(const std::string& position);
  // Adds that element to a pass's state.
  static std::string Add(const RowPass& pass);
  // Works the results out and stores what becomes of them, at row-major position `linear`.
  std::string Store(const std::string& linear);
  // Why the states are what they are.
  void AddReasons(KernelPlan* plan) const;

 private:
  std::string Results(std::vector<std::string>* names);

  GroupScope& scope_;
  const RowSpec& spec_;
};

}  // namespace kernelmill
