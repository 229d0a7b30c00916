#include "generators/lowering/recurrent/recurrent_cell.h"

#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

constexpr std::string_view kTanh = "const float next = tanhf(from_input[0] + from_state[0]);\n";
constexpr std::string_view kRelu =
    "const float next = fmaxf(from_input[0] + from_state[0], 0.0f);\n";
constexpr std::string_view kLstm =
    R"(const float input_gate = sigmoid(from_input[0] + from_state[0]);
const float forget_gate = sigmoid(from_input[1] + from_state[1]);
const float candidate = tanhf(from_input[2] + from_state[2]);
const float output_gate = sigmoid(from_input[3] + from_state[3]);
const float next_memory = forget_gate * memory + input_gate * candidate;
const float next = output_gate * tanhf(next_memory);
)";
constexpr std::string_view kGru =
    R"(const float reset_gate = sigmoid(from_input[0] + from_state[0]);
const float update_gate = sigmoid(from_input[1] + from_state[1]);
// The reset gate acts on what comes of the state, bias included.
const float candidate = tanhf(from_input[2] + reset_gate * from_state[2]);
const float next = (1.0f - update_gate) * candidate + update_gate * state;
)";

bool IsLstm(std::string_view name) { return name.starts_with("lstm"); }
bool IsGru(std::string_view name) { return name.starts_with("gru"); }

}  // namespace

bool IsRecurrent(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return false;
  const Node& node = graph.nodes()[group.head];
  return node.op->family == OperatorFamily::kRecurrent &&
         graph.value(graph.operands(node)[0]).type.dtype != DType::kFloat64;
}

ValueId RecurrentOperand(const OperatorGraph& graph, const Node& node, std::string_view name,
                         int index) {
  const auto operands = graph.operands(node);
  const std::size_t states = IsLstm(node.op->name) ? 2 : 1;
  std::size_t place = name == "hx" ? 1 : 2;
  if (name == "cx" && states < 2) return kAbsent;
  if (name != "hx" && name != "cx") {
    const bool bias = AttributeOf(graph, node, "bias").flag();
    if (name.starts_with("bias") && !bias) return kAbsent;
    place = 1 + states + static_cast<std::size_t>(index) * (bias ? 4 : 2) +
            (name == "weight_ih"   ? 0
             : name == "weight_hh" ? 1
             : name == "bias_ih"   ? 2
                                   : 3);
  }
  return place < operands.size() ? operands[place] : kAbsent;
}

RecurrentCell RecurrentCellOf(GroupScope* scope) {
  const OperatorGraph& graph = scope->graph();
  const Node& node = scope->head();
  const std::string_view name = node.op->name;
  const ValueId input = graph.operands(node)[0];
  const std::vector<std::string> sizes = scope->Sizes(input);
  RecurrentCell cell;
  cell.layer = !name.ends_with("_cell");
  cell.has_memory = IsLstm(name);
  cell.has_bias = AttributeOf(graph, node, "bias").flag();
  cell.has_states = RecurrentOperand(graph, node, "hx") != kAbsent;
  cell.gates = IsLstm(name) ? 4 : IsGru(name) ? 3 : 1;
  if (cell.layer) {
    cell.layers = static_cast<int>(AttributeOf(graph, node, "num_layers").integer());
    cell.directions = AttributeOf(graph, node, "bidirectional").flag() ? 2 : 1;
    cell.batch_first = AttributeOf(graph, node, "batch_first").flag();
  }
  cell.dtype = scope->TypeOf(input).dtype;
  cell.storage = scope->Scalar(input).storage;
  cell.batch = cell.layer ? sizes[cell.batch_first ? 0 : 1] : sizes[0];
  cell.steps = cell.layer ? sizes[cell.batch_first ? 1 : 0] : "1";
  cell.width = sizes.back();
  cell.hidden = scope->AddSize(
      "hidden", scope->TensorName(RecurrentOperand(graph, node, "weight_hh")) + ".size(1)");
  cell.update = IsLstm(name)                   ? kLstm
                : IsGru(name)                  ? kGru
                : name.starts_with("rnn_relu") ? kRelu
                                               : kTanh;
  cell.in_words = IsLstm(name)                   ? "an LSTM"
                  : IsGru(name)                  ? "a GRU"
                  : name.starts_with("rnn_relu") ? "a recurrent network with relu"
                                                 : "a recurrent network with tanh";
  return cell;
}

}  // namespace kernelmill
