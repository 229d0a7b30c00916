// RecurrentCell: what the kernels of a recurrent operator (LSTM, GRU, RNN; layers and cells) are
// written from: its sizes, and how a hidden unit is updated from the sums of its gates.
// strategies/recurrent.cc writes them; layers and cells differ only in the number of steps.
#pragma once

#include <string>

#include "generators/lowering/group_scope.h"

namespace kernelmill {

struct RecurrentCell {
  bool layer = false;       // Many steps over a sequence; otherwise one step.
  bool has_memory = false;  // Has a second state, as an LSTM.
  bool has_bias = false;
  bool has_states = false;  // Initial states are given; otherwise they are zero.
  int gates = 1;
  // For layers.
  int layers = 1, directions = 1;
  bool batch_first = false;
  std::string storage, pointer;  // The element type in memory, and data_ptr<…>() as that type.
  DType dtype = DType::kFloat32;
  std::string batch, steps, width, hidden;  // The names of sizes.
  // Statements that compute `next`, and `next_memory` if has_memory, from from_input[gate],
  // from_state[gate], `state` and `memory`.
  std::string update;
  std::string in_words;  // In words: "an LSTM".
};

// The cell of a group whose head is a recurrent operator.
RecurrentCell RecurrentCellOf(GroupScope* scope);
bool IsRecurrent(const OperatorGraph& graph, const FusionGroup& group);

// The operand of the node: "cx", or a parameter such as "weight_hh" of the layer and direction
// number `index`. kAbsent when there is none.
ValueId RecurrentOperand(const OperatorGraph& graph, const Node& node, std::string_view name,
                         int index = 0);

}  // namespace kernelmill
