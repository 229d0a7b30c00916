// The host code of recurrent layers and cells: the pointers that each step passes to its kernels,
// and the loops over layers, directions and steps.
#pragma once

#include <string>

#include "generators/lowering/recurrent/recurrent_cell.h"

namespace kernelmill {

class RecurrentHost {
 public:
  // All outlive this. `holes`: what all kernels of the cell have in common.
  RecurrentHost(GroupScope* scope, const RecurrentCell& cell, const Holes* holes)
      : scope_(*scope), cell_(cell), holes_(*holes) {}

  // The holes, and how launches name what a step gets.
  Holes Arguments() const;
  // The declarations of pointers, and the loop over steps around a launch; `before`: what a layer
  // launches in front of its steps.
  std::string Launches(const std::string& launch, const std::string& before = "") const;
  // Layers and directions around `body`, which takes one of them through its steps. `walks`: in one
  // launch, so that names of states are its own.
  std::string LayerLoop(const std::string& body, bool walks) const;

  // Only some updates read the old state.
  static Holes WithState(Holes holes, bool reads);
  static Holes With(Holes holes, const std::string& key, const std::string& value);

 private:
  // A cell's arguments stand where a layer has names for those of a step.
  std::string CellLaunch(const std::string& launch) const;
  std::string Pointer(ValueId id, bool output = false) const;
  std::string BufferPointer() const;

  GroupScope& scope_;
  const RecurrentCell& cell_;
  const Holes& holes_;
};

}  // namespace kernelmill
