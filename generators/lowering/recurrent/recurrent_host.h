// RecurrentHost: writes the host code of recurrent layers and cells for strategies/recurrent.cc:
// the pointers that each step passes to its kernels, and the loops over layers, directions and
// steps around the launches.
#pragma once

#include <string>

#include "generators/lowering/recurrent/recurrent_cell.h"

namespace kernelmill {

class RecurrentHost {
 public:
  // All arguments must outlive this object. `holes`: the texts for the holes of the code templates
  // that all kernels of the cell share.
  RecurrentHost(GroupScope* scope, const RecurrentCell& cell, const Holes* holes)
      : scope_(*scope), cell_(cell), holes_(*holes) {}

  // The holes, with the expressions by which launches pass the arguments of a time step.
  Holes Arguments() const;
  // The declarations of pointers and the loop over time steps around `launch`. `first_launch`: a
  // launch that a layer makes before its time steps.
  std::string Launches(const std::string& launch, const std::string& first_launch = "") const;
  // The loop over layers and directions around `body`, which computes all time steps of one of
  // them. `one_launch`: the body does so with a single launch, which has names of its own for the
  // states.
  std::string LayerLoop(const std::string& body, bool one_launch) const;

  // Adds the code that reads the old state, if the update needs it.
  static Holes WithState(Holes holes, bool reads);
  static Holes With(Holes holes, const std::string& key, const std::string& value);

 private:
  // Replaces the names of a time step's arguments in a layer by the arguments of a cell.
  std::string CellLaunch(const std::string& launch) const;
  std::string Pointer(ValueId id, bool output = false) const;
  std::string BufferPointer() const;

  GroupScope& scope_;
  const RecurrentCell& cell_;
  const Holes& holes_;
};

}  // namespace kernelmill
