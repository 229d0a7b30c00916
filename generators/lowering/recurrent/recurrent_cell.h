// The code of one step of a recurrent cell: how a hidden unit is updated from the sums of its
// gates. Layers and cells (strategies/recurrent.cc) differ only in the number of steps.
#pragma once

#include <string>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

struct RecurrentCell {
  bool layer = false;       // Many steps, of a sequence; else one.
  bool has_memory = false;  // An LSTM's second state.
  bool has_bias = false;
  bool has_states = false;  // They are given; else they are zero.
  int gates = 1;
  // Of layers.
  int layers = 1, directions = 1;
  bool batch_first = false;
  std::string storage, pointer;  // The element's type in memory, and data_ptr<…>() as that type.
  DType dtype = DType::kFloat32;
  std::string batch, steps, width, hidden;  // Sizes.
  // Statements that work `next` out, and `next_memory` where there is one, from from_input[gate],
  // from_state[gate], `state` and `memory`.
  std::string update;
  std::string in_words;  // "an LSTM"
};

// Of a group's head, which is recurrent.
RecurrentCell RecurrentCellOf(GroupScope* scope);
bool IsRecurrent(const OperatorGraph& graph, const FusionGroup& group);

// The operand of the node: "cx", or a parameter of the layer and direction that `index` counts,
// such as "weight_hh". kAbsent where there is none.
ValueId RecurrentOperand(const OperatorGraph& graph, const Node& node, std::string_view name,
                         int index = 0);

}  // namespace kernelmill
