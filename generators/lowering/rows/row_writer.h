// Pieces of kernel text that all kernels along rows share, whether a thread, a warp or a block
// computes a row: the merge of states, the load of an element, its addition to a state, and the
// store of results. Used by strategies/rows.cc, split_rows.cc and columns.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generators/lowering/call_plan.h"
#include "generators/lowering/device_definition.h"
#include "generators/lowering/rows/row_spec.h"

namespace kernelmill {

// The device functions warp_merge(state) and block_merge(state, scratch), which calls the first.
DeviceDefinition WarpMerge();
DeviceDefinition BlockMerge();

class RowWriter {
 public:
  // Both arguments must outlive this object.
  RowWriter(GroupScope* scope, const RowSpec& spec) : scope_(*scope), spec_(spec) {}

  // Adds the state structs of the passes, each once. `merged`: whether the kernel merges states.
  void AddStates(DeviceDefinitions* definitions, bool merged) const;
  // Does so with the functions that exchange states within a warp, for WarpMerge().
  void AddShuffledStates(DeviceDefinitions* definitions) const;
  // The total size of one state of each pass, in bytes.
  std::int64_t StateBytes() const;
  // The statements that load element `k` of a row: its position, and `value`.
  std::string Load();
  // The variable with the position of that element: `at`, or `k` itself.
  std::string Place() const;
  // The statement that adds the element to a pass's state.
  static std::string Add(const RowPass& pass);
  // The statements that compute the results and store them at row-major position `linear`.
  std::string Store(const std::string& linear);
  // Adds the reasons for the choice of states.
  void AddReasons(CallPlan* plan) const;

 private:
  std::string Results(std::vector<std::string>* names);

  GroupScope& scope_;
  const RowSpec& spec_;
};

}  // namespace kernelmill
