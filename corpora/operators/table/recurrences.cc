// Rows of recurrent cells and layers.
#include "corpora/operators/rules/attribute_rows.h"
#include "corpora/operators/rules/cost_rules.h"
#include "corpora/operators/rules/input_rules.h"
#include "corpora/operators/rules/range_rules.h"
#include "corpora/operators/rules/type_rules.h"
#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

constexpr OperatorFamily kFamily = OperatorFamily::kRecurrent;

enum class Cell { kTanh, kRelu, kLstm, kGru };
constexpr std::int64_t Gates(Cell cell) {
  return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1;
}
constexpr int States(Cell cell) { return cell == Cell::kLstm ? 2 : 1; }

// Cells have the attributes hidden_size and bias, layers also num_layers, bidirectional and
// batch_first. Operands are the input, the states, and then weight_ih, weight_hh, bias_ih, bias_hh
// for each layer and direction.
struct Layout {
  std::int64_t hidden, layers = 1, directions = 1;
  bool bias, batch_first = false;
};

Layout LayoutOf(const OperatorUse& use) {
  Layout layout{use.integer(0), 1, 1, use.attribute(1).flag(), false};
  if (use.attributes.size() > 2) {
    layout.layers = use.integer(2);
    layout.directions = use.attribute(3).flag() ? 2 : 1;
    layout.batch_first = use.attribute(4).flag();
  }
  return layout;
}

template <Cell cell>
bool RecurrentParameters(const OperatorUse& use, Types* types) {
  const TensorType& input = use.operand(0);
  const Layout layout = LayoutOf(use);
  if (input.shape.rank() < 2 || layout.hidden < 1 || layout.layers < 1) return false;
  const std::int64_t rows = Gates(cell) * layout.hidden;
  for (std::int64_t i = 0; i < layout.layers * layout.directions; ++i) {
    const std::int64_t width =
        i < layout.directions ? input.shape.Back(0) : layout.directions * layout.hidden;
    types->push_back({input.dtype, {rows, width}});
    types->push_back({input.dtype, {rows, layout.hidden}});
    if (layout.bias) types->insert(types->end(), 2, {input.dtype, {rows}});
  }
  return true;
}

// Whether exactly the parameters that a module would have are given, with their shapes.
template <Cell cell>
bool ParametersFit(const OperatorUse& use) {
  Types expected;
  if (!RecurrentParameters<cell>(use, &expected)) return false;
  const std::size_t first = 1 + States(cell);
  for (std::size_t i = 0; first + i < use.operands.size() || i < expected.size(); ++i) {
    const bool given = use.Has(int(first + i));
    if (given != (i < expected.size()) || (given && use.operand(int(first + i)) != expected[i]))
      return false;
  }
  return true;
}

// The input is (length, batch, width), or (batch, length, width) with batch_first.
template <Cell cell>
bool LayerInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  const Layout layout = LayoutOf(use);
  if (!IsFloating(input.dtype) || input.shape.rank() != 3 || !ParametersFit<cell>(use))
    return false;
  const std::int64_t batch = input.shape[layout.batch_first ? 0 : 1];
  const TensorType state{input.dtype, {layout.layers * layout.directions, batch, layout.hidden}};
  for (int i = 1; i <= States(cell); ++i) {
    if (use.Has(i) && use.operand(i) != state) return false;
    if (use.Has(i) != use.Has(1)) return false;
  }
  TensorType output = input;
  output.shape[2] = layout.directions * layout.hidden;
  results->push_back(output);
  results->insert(results->end(), std::size_t(States(cell)), state);
  return true;
}

template <Cell cell>
bool LayerInputs(Draw* draw, std::span<const Attribute> attributes, NewTensors* inputs) {
  const TensorType input = (*inputs)[0].type;
  if (input.shape.rank() != 3 || !IsFloating(input.dtype)) return false;
  if (draw->Chance(0.5)) return true;  // Modules start with zero states.
  const Layout layout = LayoutOf({{}, attributes});
  const TensorType state{
      input.dtype,
      {layout.layers * layout.directions, input.shape[layout.batch_first ? 0 : 1], layout.hidden}};
  for (int i = 0; i < States(cell); ++i) inputs->push_back({state, Range::Uniform(-1, 1)});
  return true;
}

template <Cell cell>
bool CellInfer(const OperatorUse& use, Types* results) {
  const TensorType& input = use.operand(0);
  if (!IsFloating(input.dtype) || input.shape.rank() != 2 || !ParametersFit<cell>(use))
    return false;
  const TensorType state{input.dtype, {input.shape[0], use.integer(0)}};
  for (int i = 1; i <= States(cell); ++i) {
    if (!use.Has(i) || use.operand(i) != state) return false;
  }
  results->assign(std::size_t(States(cell)), state);
  return true;
}

template <Cell cell>
bool CellInputs(Draw*, std::span<const Attribute> attributes, NewTensors* inputs) {
  const TensorType input = (*inputs)[0].type;
  if (input.shape.rank() != 2 || !IsFloating(input.dtype)) return false;
  for (int i = 0; i < States(cell); ++i) {
    inputs->push_back(
        {{input.dtype, {input.shape[0], attributes[0].integer()}}, Range::Uniform(-1, 1)});
  }
  return true;
}

template <Cell cell>
OperatorCost RecurrentCost(const OperatorUse& use, std::span<const TensorType> results) {
  const Shape& input = use.shape(0);
  const std::int64_t places = input.Elements() / std::max<std::int64_t>(1, input.Back(0));
  // Two FLOPs per weight and element of the sequence; the operations after the products add four
  // per gate and result.
  std::int64_t weights = 0;
  for (std::size_t i = 1 + States(cell); i < use.operands.size(); ++i) {
    if (use.Has(int(i)) && use.shape(int(i)).rank() == 2) weights += use.shape(int(i)).Elements();
  }
  const std::int64_t pointwise = Gates(cell) * 4 * results[0].shape.Elements();
  return {2 * weights * places + pointwise, BytesMoved(use, results)};
}

// The amount by which a step changes a relu state, over all layers.
bool ReluRange(const OperatorUse& use, std::span<const Range> operands, std::int64_t steps,
               std::int64_t hidden, std::size_t results_count, Ranges* results) {
  Range input = operands[0], weight{}, state = use.Has(1) ? operands[1] : Range{};
  std::int64_t width = use.shape(0).Back(0);
  double bias = 0;
  for (std::size_t i = 2; i < operands.size(); ++i) {
    if (!use.Has(int(i))) continue;
    if (use.shape(int(i)).rank() == 2)
      weight = HullOf(weight, operands[i]);
    else
      bias += 2 * std::fmax(std::fabs(operands[i].low), std::fabs(operands[i].high));
  }
  const std::int64_t layers = use.attributes.size() > 2 ? use.integer(2) : 1;
  const double spread = weight.scale;
  double typical = 0, most = 0;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const double own = std::sqrt(double(width)) * spread * input.scale + bias;
    const double far =
        std::fmax(-input.low, input.high) * double(width) * std::fmax(-weight.low, weight.high) +
        bias;
    typical = state.scale;
    most = std::fmax(-state.low, state.high);
    // relu cuts off half of what is added; some directions grow faster than others.
    double fastest = std::fmax(typical, own);
    for (std::int64_t i = 0; i < steps && most < 1e38; ++i) {
      const double growth = std::sqrt(double(hidden)) * spread;
      typical = std::sqrt((own * own + growth * growth * typical * typical) / 2);
      fastest = own + 1.5 * growth * fastest;
      most = std::fmin(far + double(hidden) * std::fmax(-weight.low, weight.high) * most,
                       20 * fastest);
    }
    input = {0, most, typical};
    width = hidden * (use.attributes.size() > 2 && use.attribute(3).flag() ? 2 : 1);
  }
  for (std::size_t i = 0; i < results_count; ++i) {
    if (!AddRange(use.operand(0).dtype,
                  {0, std::fmax(most, std::fmax(-state.low, state.high)), typical}, results))
      return false;
  }
  return true;
}

// tanh states are in [-1, 1]; the cell state of an LSTM grows by at most 1 per step.
template <Cell cell>
bool RecurrentRange(const OperatorUse& use, std::span<const Range> operands, std::int64_t steps,
                    bool layer, Ranges* results) {
  if (cell == Cell::kRelu) {
    return ReluRange(use, operands, steps, use.integer(0), layer ? 2 : 1, results);
  }
  Range state{-1, 1, 0.4};
  // A GRU keeps a share of its initial state.
  if (cell == Cell::kGru && use.Has(1)) state = HullOf(state, operands[1]);
  if (layer) results->push_back(state);
  results->push_back(state);
  if (cell == Cell::kLstm) {
    const double first = use.Has(2) ? std::fmax(-operands[2].low, operands[2].high) : 0;
    const double most = first + double(steps);
    return AddRange(use.operand(0).dtype, {-most, most, std::fmin(0.5, most)}, results);
  }
  return true;
}

template <Cell cell>
bool LayerRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  const std::int64_t steps = use.shape(0)[use.attribute(4).flag() ? 1 : 0];
  return RecurrentRange<cell>(use, operands, steps, true, results);
}

template <Cell cell>
bool CellRange(const OperatorUse& use, std::span<const Range> operands, Ranges* results) {
  return RecurrentRange<cell>(use, operands, 1, false, results);
}

AttributeRow HiddenSize() {
  return ModuleOnly(
      {"hidden_size", Attribute::Kind::kSize, {}, {AttributeDraw::Kind::kBinned, 1, 512}});
}

// RNN and RNNCell are one module each for both functions.
template <Cell cell>
ModuleConstruction ConstructionOf() {
  return {.arguments = {SizeOf(0, -1), Given("hidden_size")},
          .fixed = cell == Cell::kRelu ? "nonlinearity=\"relu\"" : ""};
}

template <Cell cell>
OperatorRow LayerRow(std::string_view name, std::string_view function, std::string_view module,
                     double weight, std::string_view member = "") {
  OperatorRow row{.name = name,
                  .family = kFamily,
                  .operands = {{"input"}, {"hx", OperandRow::Role::kOptional}},
                  .attributes = {HiddenSize(), FlagOf("bias", true),
                                 IntegerBetween("num_layers", 1, 2, Attribute::Integer(1)),
                                 FlagOf("bidirectional"), FlagOf("batch_first")},
                  .infer = LayerInfer<cell>,
                  .parameters = RecurrentParameters<cell>,
                  .inputs = LayerInputs<cell>,
                  .range = LayerRange<cell>,
                  .cost = RecurrentCost<cell>,
                  .spellings = {module, function},
                  .weight = weight,
                  .construction = ConstructionOf<cell>()};
  if (cell == Cell::kLstm) row.operands.push_back({"cx", OperandRow::Role::kOptional});
  row.operands.push_back({"params", OperandRow::Role::kParameters});
  row.words = {.member = member, .results = {"out", "h_n"}};
  if (cell == Cell::kLstm) row.words.results.push_back("c_n");
  return row;
}

template <Cell cell>
OperatorRow CellRow(std::string_view name, std::string_view function, std::string_view module,
                    double weight) {
  OperatorRow row{.name = name,
                  .family = kFamily,
                  .operands = {{"input"}, {"hx"}},
                  .attributes = {HiddenSize(), ModuleOnly(FlagOf("bias", true))},
                  .infer = CellInfer<cell>,
                  .parameters = RecurrentParameters<cell>,
                  .inputs = CellInputs<cell>,
                  .range = CellRange<cell>,
                  .cost = RecurrentCost<cell>,
                  .spellings = {function, module},
                  .weight = weight,
                  .construction = ConstructionOf<cell>()};
  if (cell == Cell::kLstm) {
    row.operands.push_back({"cx"});
    row.words.results = {"h", "c"};
  }
  for (const std::string_view parameter : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
    row.operands.push_back({parameter, OperandRow::Role::kParameter});
  }
  return row;
}

}  // namespace

void AddRecurrences(std::vector<OperatorRow>* rows) {
  rows->push_back(LayerRow<Cell::kTanh>("rnn_tanh", "torch.rnn_tanh", "torch.nn.RNN", 1));
  rows->push_back(LayerRow<Cell::kRelu>("rnn_relu", "torch.rnn_relu", "torch.nn.RNN", 0.5));
  rows->push_back(LayerRow<Cell::kLstm>("lstm", "torch.lstm", "torch.nn.LSTM", 4, "lstm"));
  rows->push_back(LayerRow<Cell::kGru>("gru", "torch.gru", "torch.nn.GRU", 4, "gru"));
  rows->push_back(
      CellRow<Cell::kTanh>("rnn_tanh_cell", "torch.rnn_tanh_cell", "torch.nn.RNNCell", 0.8));
  rows->push_back(
      CellRow<Cell::kRelu>("rnn_relu_cell", "torch.rnn_relu_cell", "torch.nn.RNNCell", 0.4));
  rows->push_back(CellRow<Cell::kLstm>("lstm_cell", "torch.lstm_cell", "torch.nn.LSTMCell", 1));
  rows->push_back(CellRow<Cell::kGru>("gru_cell", "torch.gru_cell", "torch.nn.GRUCell", 1));
}

}  // namespace kernelmill
