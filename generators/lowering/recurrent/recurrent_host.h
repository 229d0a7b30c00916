// The host code of recurrent layers and cells: the pointers that each step passes to its kernels,
// and the loops over layers, directions and steps.
#pragma once

#include <string>

#include "generators/lowering/recurrent/recurrent_cell.h"

namespace kernelmill {

class RecurrentHost {
 public:
  // All arguments must outlive this object. `holes`: the values that all kernels of the cell share.
  RecurrentHost(GroupScope* scope, const RecurrentCell& cell, const Holes* holes)
      : scope_(*scope), cell_(cell), holes_(*holes) {}

  // The holes, with the expressions by which launches pass the arguments of a step.
  Holes Arguments() const;
  // The declarations of pointers and the loop over steps around `launch`. `before`: a launch that a
  // layer makes before its steps.
  std::string Launches(const std::string& launch, const std::string& before = "") const;
  // The loop over layers and directions around `body`, which computes all steps of one of them.
  // `walks`: a single launch does so, and has its own names for states.
  std::string LayerLoop(const std::string& body, bool walks) const;

  // Adds the code that reads the old state, if the update needs it.
  static Holes WithState(Holes holes, bool reads);
  static Holes With(Holes holes, const std::string& key, const std::string& value);

 private:
  // Replaces the names of a step's arguments in a layer by the arguments of a cell.
  std::string CellLaunch(const std::string& launch) const;
  std::string Pointer(ValueId id, bool output = false) const;
  std::string BufferPointer() const;

  GroupScope& scope_;
  const RecurrentCell& cell_;
  const Holes& holes_;
};

}  // namespace kernelmill
