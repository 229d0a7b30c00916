// Strategies for recurrent layers and cells: tiled products with the whole input before the first
// step; one kernel per step; or one block that computes all steps of its sequence.
#include "generators/lowering/contractions/contraction_tile.h"
#include "generators/lowering/recurrent/recurrent_host.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

constexpr std::string_view kSigmoid = R"(
__device__ __forceinline__ float sigmoid(float value) { return 1.0f / (1.0f + expf(-value)); }
)";

enum class Way { kProducts, kStep, kBlock };

class RecurrentWriter {
 public:
  RecurrentWriter(GroupScope* scope, Way way)
      : scope_(*scope), cell_(RecurrentCellOf(scope)), way_(way) {
    holes_ = {{"T", cell_.storage},
              {"name", scope_.function()},
              {"gates", std::to_string(cell_.gates)},
              {"words", cell_.in_words},
              {"hidden", cell_.hidden},
              {"batch", cell_.batch},
              {"steps", cell_.steps},
              {"width", cell_.width},
              {"layers", std::to_string(cell_.layers)},
              {"directions", std::to_string(cell_.directions)},
              {"update", cell_.update},
              {"stream", std::string(scope_.backend().current_stream)},
              {"check", std::string(scope_.backend().launch_check)},
              {"x", Load("x[n * x_row + k]")},
              {"h", Load("h[n * h_row + k]")},
              {"own_h", Load("h[n * h_row + j]")},
              {"w_ih", Load("w_ih[row * width + k]")},
              {"w_hh", Load("w_hh[row * hidden + k]")},
              {"b_ih", Load("b_ih[row]")},
              {"b_hh", Load("b_hh[row]")},
              {"own_c", Load("c[i]")},
              {"next", ToStorageType(cell_.dtype, "next")},
              {"next_memory", ToStorageType(cell_.dtype, "next_memory")}};
    // Features that only some cells have.
    const bool memory = cell_.has_memory, bias = cell_.has_bias;
    holes_["c_parameters"] = memory ? ", const " + cell_.storage + "* c" : "";
    holes_["c_next_parameters"] =
        memory ? ", " + cell_.storage + "* c_next, " + cell_.storage + "* c_last" : "";
    holes_["b_parameters"] = bias
                                 ? ",\n    const " + cell_.storage + "* __restrict__ b_ih, const " +
                                       cell_.storage + "* __restrict__ b_hh"
                                 : "";
    holes_["old_memory"] =
        memory ? FillHoles("const float memory = c == nullptr ? 0.0f : @own_c@;\n", holes_) : "";
    holes_["store_memory"] =
        memory ? FillHoles(
                     "c_next[i] = @next_memory@;\nif (c_last != nullptr) c_last[i] = "
                     "@next_memory@;\n",
                     holes_)
               : "";
    holes_["old_state"] =
        UsesName(cell_.update, "state")
            ? FillHoles("const float state = h == nullptr ? 0.0f : @own_h@;\n", holes_)
            : "";
    holes_["from_bias"] =
        bias ? FillHoles("from_input[gate] = @b_ih@;\nfrom_state[gate] = @b_hh@;\n", holes_)
             : "from_input[gate] = 0.0f;\nfrom_state[gate] = 0.0f;\n";
  }

  GroupCode Write() {
    GroupCode code;
    code.plan.index_type = "int";
    code.plan.threads = way_ == Way::kBlock ? 128 : 256;
    if (UsesName(cell_.update, "sigmoid"))
      code.definitions.push_back({"sigmoid", FillHoles(kSigmoid, {})});
    switch (way_) {
      case Way::kProducts:
        WriteProducts(&code);
        break;
      case Way::kStep:
        WriteStep(&code);
        break;
      case Way::kBlock:
        WriteBlock(&code);
        break;
    }
    return code;
  }

 private:
  std::string Load(const std::string& place) const { return ToComputeType(cell_.dtype, place); }

  // The sums of all gates for unit j of sequence n.
  std::string Sums() const {
    return FillHoles(R"(
for (int gate = 0; gate < @gates@; ++gate) {
  const int row = gate * hidden + j;
  @from_bias@
  for (int k = 0; k < width; ++k) from_input[gate] += @w_ih@ * @x@;
  if (h == nullptr) continue;  // A state of zeros.
  for (int k = 0; k < hidden; ++k) from_state[gate] += @w_hh@ * @h@;
}
)",
                     holes_);
  }

  void WriteStep(GroupCode* code) {
    Holes holes = holes_;
    holes["sums"] = Sums();
    code->definitions.push_back({scope_.function() + "_step_kernel", FillHoles(R"(
// One step of @words@: thread i computes unit j of sequence n, all of its gates. A null state is one
// of zeros; h_last and what is called last besides it are null before the last step.
__global__ void @name@_step_kernel(
    const @T@* __restrict__ x, int x_row, const @T@* h, int h_row@c_parameters@,
    const @T@* __restrict__ w_ih, const @T@* __restrict__ w_hh@b_parameters@,
    @T@* h_next, int h_next_row, @T@* h_last@c_next_parameters@, int batch, int width,
    int hidden) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * hidden) return;
  const int n = i / hidden, j = i % hidden;
  float from_input[@gates@], from_state[@gates@];
  @sums@
  @old_state@
  @old_memory@
  @update@
  if (h_next != nullptr) h_next[n * h_next_row + j] = @next@;
  if (h_last != nullptr) h_last[i] = @next@;
  @store_memory@
}
)",
                                                                               holes)});
    const std::string launch = FillHoles(R"(
const int blocks = (@batch@ * @hidden@ + 255) / 256;
@name@_step_kernel<<<blocks, 256, 0, @stream@>>>(
    @arguments@, @batch@, @width_argument@, @hidden@);
@check@
)",
                                         host_.Arguments());
    code->after_outputs = host_.Launches(launch);
    code->plan.kernels = {scope_.function() + "_step_kernel"};
    code->plan.grid = "(batch * hidden + 255) / 256, once a step";
    code->plan.mapping =
        "in every step thread i computes unit i % hidden of sequence i / hidden, with all gates in "
        "registers";
    code->plan.reasons.push_back({"a launch a step",
                                  "a time step needs the whole state of the step before, and the "
                                  "end of a kernel is the only barrier across all blocks"});
  }

  // gate_sums[m][row] = bias[row] + the dot product of row m of `left` and a row of the weights.
  struct Product {
    std::string kernel, comment, parameters, left, weights, bias, length, before;
    std::int64_t rows, columns, depth;  // At the task's sizes.
  };
  DeviceDefinition ProductKernel(const Product& product, Tile* tile) const {
    ContractionSpec spec;
    spec.m.Add("m", "count", product.rows);
    spec.n.Add("n", "gate_rows", product.columns);
    spec.k.Add("k", product.length, product.depth);
    spec.a.value = Load(product.left);
    spec.b.value = Load(product.weights);
    spec.type = "float";
    *tile = TileFor(spec, true);
    const TileNames names = {.M = "count",
                             .N = "gate_rows",
                             .k_begin = "0",
                             .k_end = product.length,
                             .m_axis = "x",
                             .n_axis = "y"};
    const std::string sum = cell_.has_bias ? "acc + " + Load(product.bias) : "acc";
    return {scope_.function() + '_' + product.kernel + "_kernel",
            FillHoles(R"(
@comment@
__global__ void@bounds@ @name@_@kernel@_kernel(
    @parameters@) {
  @before@
  @body@
}
)",
                      {{"comment", CommentText(product.comment)},
                       {"bounds", TileLaunchBounds(*tile)},
                       {"name", scope_.function()},
                       {"kernel", product.kernel},
                       {"parameters", product.parameters},
                       {"before", product.before},
                       {"body", TileBody(scope_, spec, *tile, names,
                                         "gate_sums[m * gate_rows + n] = " + sum + ";\n")}})};
  }
  // The grid of a product's launch.
  static std::string GridText(const std::string& count, const Tile& tile) {
    return TileGrid({.M = count, .N = "gate_rows", .m_axis = "x"}, tile);
  }

  void WriteProducts(GroupCode* code) {
    const OperatorGraph& graph = scope_.graph();
    const Shape& x = scope_.TypeOf(graph.operands(scope_.head())[0]).shape;
    const Shape& w_ih = scope_.TypeOf(RecurrentOperand(graph, scope_.head(), "weight_ih")).shape;
    const Shape& w_hh = scope_.TypeOf(RecurrentOperand(graph, scope_.head(), "weight_hh")).shape;
    const std::int64_t inputs = x.Elements() / std::max<std::int64_t>(1, x.Back(0));
    const std::int64_t sequences =
        !cell_.layer || x.rank() < 3 ? (cell_.layer ? 1 : inputs) : x[cell_.batch_first ? 0 : 1];
    const std::string pointer = "const " + cell_.storage + "* ";
    const std::string bias = cell_.has_bias ? ", " + pointer + "__restrict__ bias" : "";
    Tile of_input, of_state;
    code->definitions.push_back(ProductKernel(
        {.kernel = "input",
         .comment = "What " + std::string(cell_.layer ? "all inputs bring" : "the input brings") +
                    " to the gates of " + cell_.in_words +
                    ": gate_sums[m][row] for every row m of x.",
         .parameters = pointer + "__restrict__ x, " + pointer + "__restrict__ weights" + bias +
                       ",\n    float* __restrict__ gate_sums, int count, int width, int gate_rows",
         .left = "x[m * width + k]",
         .weights = "weights[n * width + k]",
         .bias = "bias[n]",
         .length = "width",
         .rows = inputs,
         .columns = w_ih[0],
         .depth = w_ih[1]},
        &of_input));
    code->definitions.push_back(ProductKernel(
        {.kernel = "state",
         .comment = "What the state before a step brings to the gates; a null one is one of zeros.",
         .parameters = pointer + "h, int h_row, " + pointer + "__restrict__ weights" + bias +
                       ",\n    float* __restrict__ gate_sums, int count, int hidden, int gate_rows",
         .left = "h[m * h_row + k]",
         .weights = "weights[n * hidden + k]",
         .bias = "bias[n]",
         .length = "length",
         .before = "const int length = h == nullptr ? 0 : hidden;\n",
         .rows = sequences,
         .columns = w_hh[0],
         .depth = w_hh[1]},
        &of_state));
    const bool state = UsesName(cell_.update, "state");
    Holes holes = holes_;
    holes["state_parameters"] = state ? ", const " + cell_.storage + "* h, int h_row" : "";
    code->definitions.push_back({scope_.function() + "_update_kernel", FillHoles(R"(
// What follows from the sums: thread i updates unit j of sequence n, whose sums of the input lie
// n * input_row behind `input_sums`. What is called last is null before the last step.
__global__ void @name@_update_kernel(
    const float* __restrict__ input_sums, int input_row,
    const float* __restrict__ state_sums@state_parameters@@c_parameters@,
    @T@* h_next, int h_next_row, @T@* h_last@c_next_parameters@, int batch,
    int hidden) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * hidden) return;
  const int n = i / hidden, j = i % hidden;
  float from_input[@gates@], from_state[@gates@];
  for (int gate = 0; gate < @gates@; ++gate) {
    from_input[gate] = input_sums[n * input_row + gate * hidden + j];
    from_state[gate] = state_sums[(n * @gates@ + gate) * hidden + j];
  }
  @old_state@
  @old_memory@
  @update@
  if (h_next != nullptr) h_next[n * h_next_row + j] = @next@;
  if (h_last != nullptr) h_last[i] = @next@;
  @store_memory@
}
)",
                                                                                 holes)});
    Holes given = host_.WithState(host_.Arguments(), state);
    given["first"] = scope_.TensorName(scope_.group().inputs[0]);
    given["inputs"] = cell_.layer ? "inputs" : cell_.batch;
    given["input_grid"] = GridText(given["inputs"], of_input);
    given["state_grid"] = GridText(cell_.batch, of_state);
    given["input_threads"] = std::to_string(of_input.threads());
    given["state_threads"] = std::to_string(of_state.threads());
    // The offset of a step's sums, and the stride between sequences.
    given["of_step"] = !cell_.layer ? ""
                       : cell_.batch_first
                           ? " + t * gate_rows"
                           : " + t * " + GroupScope::Parenthesized(cell_.batch) + " * gate_rows";
    given["sum_row"] =
        cell_.layer && cell_.batch_first ? cell_.steps + " * gate_rows" : "gate_rows";
    const std::string step = FillHoles(R"(
const dim3 state_blocks(@state_grid@);
@name@_state_kernel<<<state_blocks, @state_threads@, 0, @stream@>>>(
    @h_arguments@, @state_weights@, state_sums, @batch@, @hidden@, gate_rows);
@check@
@name@_update_kernel<<<unit_blocks, 256, 0, @stream@>>>(
    input_sums@of_step@, @sum_row@, state_sums@state@@c@,
    @next_arguments@, @batch@, @hidden@);
@check@
)",
                                       given);
    const std::string all = FillHoles(R"(
const dim3 input_blocks(@input_grid@);
@name@_input_kernel<<<input_blocks, @input_threads@, 0, @stream@>>>(
    @below@, @input_weights@, input_sums, @inputs@, @width_argument@, gate_rows);
@check@
)",
                                      given);
    given["count"] = cell_.layer ? FillHoles("const int inputs = @steps@ * @batch@;\n", given) : "";
    code->after_outputs = FillHoles(R"(
const int gate_rows = @gates@ * @hidden@;
@count@
// What inputs bring to the gates, and what the state does.
auto input_buffer = torch::empty({static_cast<int64_t>(@inputs@) * gate_rows}, @first@.options().dtype(torch::kFloat32));
auto state_buffer = torch::empty({static_cast<int64_t>(@batch@) * gate_rows}, @first@.options().dtype(torch::kFloat32));
float* const input_sums = input_buffer.data_ptr<float>();
float* const state_sums = state_buffer.data_ptr<float>();
const int unit_blocks = (@batch@ * @hidden@ + 255) / 256;
)",
                                    given) +
                          host_.Launches(step, all);
    code->plan.kernels = {scope_.function() + "_input_kernel", scope_.function() + "_state_kernel",
                          scope_.function() + "_update_kernel"};
    code->plan.grid = "tiles of the gates' sums, then (batch * hidden + 255) / 256";
    code->plan.shared_bytes = 4 * std::max(of_input.shared_floats(), of_state.shared_floats());
    code->plan.mapping =
        "blocks compute tiles of the sums that inputs and state bring to the gates, several sums a "
        "thread in registers; then one thread per unit takes its gates from memory";
    if (cell_.layer) {
      code->plan.reasons.push_back(
          {"the inputs' products before the first step",
           "they do not depend on the state, so one large product for all steps keeps the device "
           "busy, and only the product with the state remains for each step"});
    }
    code->plan.reasons.push_back(
        {"gates in memory",
         "the products are computed in tiles of gate rows and the update by unit, so the gates "
         "are written and read once in between"});
  }

  void WriteBlock(GroupCode* code) {
    Holes holes = holes_;
    const auto x = Load("x[t * x_step + n * x_row + k]");
    holes["x_now"] = x;
    holes["memory_now"] = cell_.has_memory ? "const float memory = memories[j];\n" : "";
    holes["keep_memory"] = cell_.has_memory ? "memories[j] = next_memory;\n" : "";
    holes["state_now"] = UsesName(cell_.update, "state") ? "const float state = before[j];\n" : "";
    holes["memories"] = cell_.has_memory ? "float* const memories = shared + 2 * hidden;\n" : "";
    holes["first_memory"] =
        cell_.has_memory
            ? "memories[j] = c == nullptr ? 0.0f : " + Load("c[n * hidden + j]") + ";\n"
            : "";
    holes["last_memory"] = cell_.has_memory ? "if (c_last != nullptr) c_last[n * hidden + j] = " +
                                                  ToStorageType(cell_.dtype, "memories[j]") + ";\n"
                                            : "";
    holes["c_last_parameter"] = cell_.has_memory ? ", " + cell_.storage + "* c_last" : "";
    holes["first_h"] = Load("h[n * hidden + j]");
    holes["rounded"] = Load(ToStorageType(cell_.dtype, "next"));
    holes["last_h"] = ToStorageType(cell_.dtype, "before[j]");
    code->definitions.push_back({scope_.function() + "_walk_kernel", FillHoles(R"(
// One direction of @words@: block n walks through sequence n, with its state in shared memory.
__global__ void @name@_walk_kernel(
    const @T@* __restrict__ x, int x_step, int x_row, const @T@* h@c_parameters@,
    const @T@* __restrict__ w_ih, const @T@* __restrict__ w_hh@b_parameters@,
    @T@* out, int out_step, int out_row, @T@* h_last@c_last_parameter@, int steps, bool backward,
    int width, int hidden) {
  extern __shared__ float shared[];
  // The state before a step and behind it: they change places.
  float* before = shared;
  float* behind = shared + hidden;
  @memories@
  const int n = blockIdx.x;
  for (int j = threadIdx.x; j < hidden; j += blockDim.x) {
    before[j] = h == nullptr ? 0.0f : @first_h@;
    @first_memory@
  }
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const int t = backward ? steps - 1 - step : step;
    for (int j = threadIdx.x; j < hidden; j += blockDim.x) {
      float from_input[@gates@], from_state[@gates@];
      for (int gate = 0; gate < @gates@; ++gate) {
        const int row = gate * hidden + j;
        @from_bias@
        for (int k = 0; k < width; ++k) from_input[gate] += @w_ih@ * @x_now@;
        for (int k = 0; k < hidden; ++k) from_state[gate] += @w_hh@ * before[k];
      }
      @state_now@
      @memory_now@
      @update@
      behind[j] = @rounded@;
      @keep_memory@
      out[t * out_step + n * out_row + j] = @next@;
    }
    __syncthreads();
    float* const swapped = before;
    before = behind;
    behind = swapped;
  }
  for (int j = threadIdx.x; j < hidden; j += blockDim.x) {
    if (h_last != nullptr) h_last[n * hidden + j] = @last_h@;
    @last_memory@
  }
}
)",
                                                                               holes)});
    const std::string launch = FillHoles(
        R"(
const int shared = @parts@ * @hidden@ * sizeof(float);
@name@_walk_kernel<<<@batch@, 128, shared, @stream@>>>(
    below, x_step, x_row, h@c@, @weights@, sequence, out_step, out_row, h_last@c_last@, @steps@,
    direction == 1, width, @hidden@);
@check@
)",
        host_.With(host_.With(host_.With(host_.Arguments(), "parts", cell_.has_memory ? "3" : "2"),
                              "c_last", cell_.has_memory ? ", c_last" : ""),
                   "c", cell_.has_memory ? ", c" : ""));
    code->after_outputs = host_.LayerLoop(launch, true);
    code->plan.kernels = {scope_.function() + "_walk_kernel"};
    code->plan.grid = "batch, once a layer and direction";
    code->plan.mapping =
        "block n goes through all steps of sequence n; in each, thread t computes the units t, t + "
        "128 and so on, and the state stays in shared memory";
    code->plan.reasons.push_back({"one launch for all steps",
                                  "sequences are independent of each other, so a barrier of the "
                                  "block between steps is enough, and no step needs a launch of "
                                  "its own"});
  }

  GroupScope& scope_;
  RecurrentCell cell_;
  Way way_;
  Holes holes_;
  RecurrentHost host_{&scope_, cell_, &holes_};
};

bool IsLayer(const OperatorGraph& graph, const FusionGroup& group) {
  return IsRecurrent(graph, group) && !graph.nodes()[group.head].op->name.ends_with("_cell");
}

template <Way kWay>
GroupCode WriteRecurrent(GroupScope* scope) {
  return RecurrentWriter(scope, kWay).Write();
}

}  // namespace

void AddRecurrentStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back({"products_by_tiles", "the inputs' products first, then steps in tiles",
                         IsRecurrent, WriteRecurrent<Way::kProducts>});
  strategies->push_back({"kernel_a_step", "one thread per unit, all its gates", IsRecurrent,
                         WriteRecurrent<Way::kStep>});
  strategies->push_back({"block_a_sequence", "the state in shared memory through all steps",
                         IsLayer, WriteRecurrent<Way::kBlock>});
}

}  // namespace kernelmill
