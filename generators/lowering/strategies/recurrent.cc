// Recurrent layers and cells: a kernel a step, the gates of a step in memory, or a block that walks
// through its own sequence.
#include "generators/lowering/recurrent_cell.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

constexpr std::string_view kSigmoid = R"(
__device__ __forceinline__ float sigmoid(float value) { return 1.0f / (1.0f + expf(-value)); }

)";

enum class Way { kStep, kGates, kBlock };

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
              {"stream", std::string(scope_.dialect().stream)},
              {"check", std::string(scope_.dialect().check)},
              {"x", Load("x[n * x_row + k]")},
              {"h", Load("h[n * h_row + k]")},
              {"own_h", Load("h[n * h_row + j]")},
              {"w_ih", Load("w_ih[row * width + k]")},
              {"w_hh", Load("w_hh[row * hidden + k]")},
              {"b_ih", Load("b_ih[row]")},
              {"b_hh", Load("b_hh[row]")},
              {"own_c", Load("c[i]")},
              {"next", Stored(cell_.dtype, scope_.dialect(), "next")},
              {"next_memory", Stored(cell_.dtype, scope_.dialect(), "next_memory")}};
    // What only some cells have.
    const bool memory = cell_.has_memory, bias = cell_.has_bias;
    holes_["c_parameters"] = memory ? ", const " + cell_.storage + "* c" : "";
    holes_["c_next_parameters"] =
        memory ? ", " + cell_.storage + "* c_next, " + cell_.storage + "* c_last" : "";
    holes_["b_parameters"] = bias
                                 ? ",\n    const " + cell_.storage + "* __restrict__ b_ih, const " +
                                       cell_.storage + "* __restrict__ b_hh"
                                 : "";
    holes_["old_memory"] =
        memory ? Fill("const float memory = c == nullptr ? 0.0f : @own_c@;\n", holes_) : "";
    holes_["store_memory"] =
        memory ? Fill(
                     "c_next[i] = @next_memory@;\nif (c_last != nullptr) c_last[i] = "
                     "@next_memory@;\n",
                     holes_)
               : "";
    holes_["old_state"] = UsesName(cell_.update, "state")
                              ? Fill("const float state = h == nullptr ? 0.0f : @own_h@;\n", holes_)
                              : "";
    holes_["from_bias"] =
        bias ? Fill("from_input[gate] = @b_ih@;\nfrom_state[gate] = @b_hh@;\n", holes_)
             : "from_input[gate] = 0.0f;\nfrom_state[gate] = 0.0f;\n";
  }

  GroupCode Write() {
    GroupCode code;
    code.plan.index_type = "int";
    code.plan.threads = way_ == Way::kBlock ? 128 : 256;
    if (UsesName(cell_.update, "sigmoid")) code.device = kSigmoid.substr(1);
    switch (way_) {
      case Way::kStep:
        WriteStep(&code);
        break;
      case Way::kGates:
        WriteGates(&code);
        break;
      case Way::kBlock:
        WriteBlock(&code);
        break;
    }
    return code;
  }

 private:
  std::string Load(const std::string& place) const {
    return Loaded(cell_.dtype, scope_.dialect(), place);
  }

  // The sums of all gates of unit j of sequence n.
  std::string Sums() const {
    return Fill(R"(
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
    code->device += Fill(R"(
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
                         holes);
    const std::string launch = Fill(R"(
const int blocks = (@batch@ * @hidden@ + 255) / 256;
@name@_step_kernel<<<blocks, 256, 0, @stream@>>>(
    @arguments@, @batch@, @width_argument@, @hidden@);
@check@
)",
                                    WithArguments());
    code->launch = Launches(launch);
    code->plan.kernels = {scope_.function() + "_step_kernel"};
    code->plan.grid = "(batch * hidden + 255) / 256, once a step";
    code->plan.mapping =
        "in every step thread i computes unit i % hidden of sequence i / hidden, with all gates in "
        "registers";
    code->plan.reasons.push_back({"a launch a step",
                                  "a step needs the whole state of the one before; the end of a "
                                  "kernel is the barrier that all blocks wait at"});
  }

  void WriteGates(GroupCode* code) {
    Holes holes = holes_;
    code->device +=
        Fill(R"(
// The sums of one step of @words@: thread i computes those of one gate row of sequence n, from the
// input and from the state apart.
__global__ void @name@_gates_kernel(
    const @T@* __restrict__ x, int x_row, const @T@* h, int h_row,
    const @T@* __restrict__ w_ih, const @T@* __restrict__ w_hh@b_parameters@,
    float* __restrict__ gates, int batch, int width, int hidden) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int rows = @gates@ * hidden;
  if (i >= batch * rows) return;
  const int n = i / rows, row = i % rows;
  @bias@
  for (int k = 0; k < width; ++k) from_input += @w_ih@ * @x@;
  if (h != nullptr) {
    for (int k = 0; k < hidden; ++k) from_state += @w_hh@ * @h@;
  }
  gates[i] = from_input;
  gates[batch * rows + i] = from_state;
}

// What follows from the sums: thread i updates unit j of sequence n.
__global__ void @name@_update_kernel(
    const float* __restrict__ gates, const @T@* h, int h_row@c_parameters@,
    @T@* h_next, int h_next_row, @T@* h_last@c_next_parameters@, int batch, int hidden) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * hidden) return;
  const int n = i / hidden, j = i % hidden;
  float from_input[@gates@], from_state[@gates@];
  for (int gate = 0; gate < @gates@; ++gate) {
    const int at = (n * @gates@ + gate) * hidden + j;
    from_input[gate] = gates[at];
    from_state[gate] = gates[batch * @gates@ * hidden + at];
  }
  @old_state@
  @old_memory@
  @update@
  if (h_next != nullptr) h_next[n * h_next_row + j] = @next@;
  if (h_last != nullptr) h_last[i] = @next@;
  @store_memory@
}
)",
             With(holes, "bias",
                  cell_.has_bias ? Fill("float from_input = @b_ih@, from_state = @b_hh@;", holes)
                                 : "float from_input = 0.0f, from_state = 0.0f;"));
    // Without unused parameters.
    if (!UsesName(cell_.update, "state")) {
      const std::string unused = "gates, const " + cell_.storage + "* h, int h_row";
      code->device.replace(code->device.find(unused), unused.size(), "gates");
    }
    const bool state = UsesName(cell_.update, "state");
    const std::string launch = Fill(R"(
const int gate_blocks = (@batch@ * @gates@ * @hidden@ + 255) / 256;
@name@_gates_kernel<<<gate_blocks, 256, 0, @stream@>>>(
    @x_arguments@, @weights@, gates.data_ptr<float>(), @batch@, @width_argument@,
    @hidden@);
@check@
const int unit_blocks = (@batch@ * @hidden@ + 255) / 256;
@name@_update_kernel<<<unit_blocks, 256, 0, @stream@>>>(
    gates.data_ptr<float>()@state@@c@, @next_arguments@, @batch@, @hidden@);
@check@
)",
                                    WithState(WithArguments(), state));
    code->launch = Fill(
                       "auto gates = torch::empty({2 * static_cast<int64_t>(@batch@) * @gates@ * "
                       "@hidden@}, @first@.options().dtype(torch::kFloat32));\n",
                       With(holes_, "first", scope_.TensorName(scope_.group().inputs[0]))) +
                   Launches(launch);
    code->plan.kernels = {scope_.function() + "_gates_kernel",
                          scope_.function() + "_update_kernel"};
    code->plan.grid = "(batch * gates * hidden + 255) / 256, then (batch * hidden + 255) / 256";
    code->plan.mapping =
        "in every step one thread a gate row sums up what the input and the state bring to it; "
        "then "
        "one thread a unit takes its gates from memory";
    code->plan.reasons.push_back(
        {"gates in memory",
         "several times as many threads share the products, which are nearly "
         "all of the work; the gates are written and read once more"});
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
    holes["last_memory"] = cell_.has_memory
                               ? "if (c_last != nullptr) c_last[n * hidden + j] = " +
                                     Stored(cell_.dtype, scope_.dialect(), "memories[j]") + ";\n"
                               : "";
    holes["c_last_parameter"] = cell_.has_memory ? ", " + cell_.storage + "* c_last" : "";
    holes["first_h"] = Load("h[n * hidden + j]");
    holes["rounded"] = Load(Stored(cell_.dtype, scope_.dialect(), "next"));
    holes["last_h"] = Stored(cell_.dtype, scope_.dialect(), "before[j]");
    code->device += Fill(R"(
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
                         holes);
    const std::string launch =
        Fill(R"(
const int shared = @parts@ * @hidden@ * sizeof(float);
@name@_walk_kernel<<<@batch@, 128, shared, @stream@>>>(
    below, x_step, x_row, h@c@, @weights@, sequence, out_step, out_row, h_last@c_last@, @steps@,
    direction == 1, width, @hidden@);
@check@
)",
             With(With(With(WithArguments(), "parts", cell_.has_memory ? "3" : "2"), "c_last",
                       cell_.has_memory ? ", c_last" : ""),
                  "c", cell_.has_memory ? ", c" : ""));
    code->launch = LayerLoop(launch);
    code->plan.kernels = {scope_.function() + "_walk_kernel"};
    code->plan.grid = "batch, once a layer and direction";
    code->plan.mapping =
        "block n goes through all steps of sequence n; in each, thread t computes the units t, t + "
        "128 and so on, and the state stays in shared memory";
    code->plan.reasons.push_back({"one launch for all steps",
                                  "sequences do not wait for each other: a barrier of the block is "
                                  "enough between steps, and short steps cost no launches"});
  }

  // Only some updates read the old state.
  static Holes WithState(Holes holes, bool reads) {
    holes["state"] = reads ? ", " + holes["state"] : "";
    return holes;
  }

  static Holes With(Holes holes, const std::string& key, const std::string& value) {
    holes[key] = value;
    return holes;
  }

  Holes WithArguments() const {
    const bool memory = cell_.has_memory, bias = cell_.has_bias;
    Holes holes = holes_;
    if (!cell_.layer) {
      const OperatorGraph& graph = scope_.graph();
      const Node& node = scope_.head();
      const auto of = [&](std::string_view name) {
        return Pointer(RecurrentOperand(graph, node, name));
      };
      holes["weights"] = of("weight_ih") + ", " + of("weight_hh") +
                         (bias ? ", " + of("bias_ih") + ", " + of("bias_hh") : "");
      holes["state"] = of("hx") + ", " + cell_.hidden;
      holes["x_arguments"] =
          Pointer(graph.operands(node)[0]) + ", " + cell_.width + ", " + holes["state"];
      holes["c"] = memory ? ", " + of("cx") : "";
      holes["next_arguments"] =
          Pointer(node.first_result, true) + ", " + cell_.hidden + ", nullptr";
      if (memory) {
        const ValueId next = node.first_result + 1;
        holes["next_arguments"] +=
            ", " + (scope_.IsOutput(next) ? Pointer(next) : BufferPointer()) + ", nullptr";
      }
      holes["width_argument"] = cell_.width;
      holes["arguments"] = holes["x_arguments"] + holes["c"] + ", " + holes["weights"] + ", " +
                           holes["next_arguments"];
      return holes;
    }
    holes["width_argument"] = "width";
    holes["state"] = "h, h_row";
    holes["weights"] = bias ? "w_ih, w_hh, b_ih, b_hh" : "w_ih, w_hh";
    holes["x_arguments"] = "x, x_row, h, h_row";
    holes["c"] = memory ? ", c" : "";
    holes["next_arguments"] =
        memory ? "h_next, h_next_row, h_last, c_next, c_last" : "h_next, h_next_row, h_last";
    holes["arguments"] = holes["x_arguments"] + holes["c"] + ", " + holes["weights"] + ", " +
                         holes["next_arguments"];
    return holes;
  }

  std::string Pointer(ValueId id, bool output = false) const {
    if (id == kAbsent || (output && !scope_.IsOutput(id))) return "nullptr";
    return scope_.TensorParameter(id).argument;
  }

  // The host's declarations of pointers, and the loop over steps around a launch.
  std::string Launches(const std::string& launch) {
    if (!cell_.layer) return CellLaunch(launch);
    Holes holes = holes_;
    const bool memory = cell_.has_memory;
    holes["launch"] = launch;
    holes["c_of_step"] =
        memory ? Fill(
                     "const @T@* c = step == 0 ? first_c : memory;\n@T@* const c_next = memory;\n"
                     "@T@* const c_last = step + 1 == @steps@ ? last_c : nullptr;\n",
                     holes_)
               : "";
    const std::string body = Fill(R"(
for (int step = 0; step < @steps@; ++step) {
  const int t = direction == 0 ? step : @steps@ - 1 - step;
  const int before = direction == 0 ? t - 1 : t + 1;
  const @T@* const x = below + t * x_step;
  const @T@* const h = step == 0 ? first_h : sequence + before * out_step;
  const int h_row = step == 0 ? @hidden@ : out_row;
  @T@* const h_next = sequence + t * out_step;
  const int h_next_row = out_row;
  @T@* const h_last = step + 1 == @steps@ ? last_h : nullptr;
  @c_of_step@
  @launch@
}
)",
                                  holes);
    return LayerLoop(body);
  }

  // Layers and directions around `body`, which takes one of them through its steps.
  std::string LayerLoop(const std::string& body) {
    const OperatorGraph& graph = scope_.graph();
    const Node& node = scope_.head();
    Holes holes = holes_;
    holes["body"] = body;
    // Which names the body has already.
    const bool walk = way_ == Way::kBlock, memory = cell_.has_memory;
    holes["first_h"] = walk ? "h" : "first_h";
    holes["last_h"] = walk ? "h_last" : "last_h";
    holes["x_pointer"] = Pointer(graph.operands(node)[0]);
    holes["hx"] = Pointer(RecurrentOperand(graph, node, "hx"));
    holes["h_n"] = Pointer(node.first_result + 1, true);
    const int count = cell_.layers * cell_.directions;
    std::string weights;
    for (const std::string name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
      if (RecurrentOperand(graph, node, name) == kAbsent) continue;
      std::vector<std::string> pointers;
      for (int i = 0; i < count; ++i) {
        pointers.push_back(Pointer(RecurrentOperand(graph, node, name, i)));
      }
      weights +=
          CallText("const " + cell_.storage + "* const all_" + name + "[] = {", pointers, "};\n");
    }
    holes["all_weights"] = weights;
    std::string chosen;
    for (const auto& [to, from] : {std::pair<std::string, std::string>("w_ih", "weight_ih"),
                                   {"w_hh", "weight_hh"},
                                   {"b_ih", "bias_ih"},
                                   {"b_hh", "bias_hh"}}) {
      if (RecurrentOperand(graph, node, from) == kAbsent) continue;
      chosen += "const " + cell_.storage + "* const " + to + " = all_" + from + "[index];\n";
    }
    holes["chosen"] = chosen;
    holes["options"] = scope_.TensorName(graph.operands(node)[0]) + ".options()";
    holes["torch"] = scope_.Scalar(cell_.dtype).torch;
    const auto data = [&](const std::string& tensor) {
      const std::string text = tensor + ".data_ptr<" + holes["torch"] + ">()";
      return holes["torch"] == cell_.storage
                 ? text
                 : "reinterpret_cast<" + cell_.storage + "*>(" + text + ")";
    };
    holes["own_sequence"] = data("own");
    holes["memory_data"] = data("memory_buffer");
    holes["out_pointer"] = Pointer(node.first_result, true);
    holes["row_of_out"] = cell_.directions == 1
                              ? cell_.hidden
                              : std::to_string(cell_.directions) + " * " + cell_.hidden;
    // How far apart neighbours are, in time and in the batch.
    const bool first = cell_.batch_first;
    holes["x_step"] = first ? "width" : cell_.batch + " * width";
    holes["x_row"] = first ? cell_.steps + " * width" : "width";
    holes["out_step"] = first ? holes["row_of_out"] : cell_.batch + " * " + holes["row_of_out"];
    holes["out_row"] = first ? cell_.steps + " * " + holes["row_of_out"] : holes["row_of_out"];
    if (memory) {
      holes["cx"] = Pointer(RecurrentOperand(graph, node, "cx"));
      holes["c_n"] = Pointer(node.first_result + 2, true);
      holes["c_pointers"] =
          Fill(cell_.has_states ? "const @T@* const @c@ = @cx@ + index * state_size;\n"
                                : "const @T@* const @c@ = nullptr;  // Zeros.\n",
               With(holes, "c", walk ? "c" : "first_c"));
      holes["c_pointers"] +=
          Fill(holes["c_n"] == "nullptr" ? "@T@* const @c@ = nullptr;\n"
                                         : "@T@* const @c@ = @c_n@ + index * state_size;\n",
               With(holes, "c", walk ? "c_last" : "last_c"));
      if (!walk) {
        holes["memory"] = Fill(
            "// Between two steps; each thread reads and writes its own element only.\n"
            "auto memory_buffer = torch::empty({@batch@, @hidden@}, @options@);\n"
            "@T@* const memory = @memory_data@;\n",
            holes);
      }
    }
    holes.try_emplace("c_pointers", "");
    holes.try_emplace("memory", "");
    holes["h_pointers"] =
        Fill(cell_.has_states ? "const @T@* const @first_h@ = @hx@ + index * state_size;\n"
                              : "const @T@* const @first_h@ = nullptr;  // Zeros.\n",
             holes) +
        Fill(holes["h_n"] == "nullptr" ? "@T@* const @last_h@ = nullptr;\n"
                                       : "@T@* const @last_h@ = @h_n@ + index * state_size;\n",
             holes);
    const bool uses_state_size = holes["h_pointers"].find("state_size") != std::string::npos ||
                                 holes["c_pointers"].find("state_size") != std::string::npos;
    holes["state_size"] =
        uses_state_size ? "const int state_size = " + cell_.batch + " * " + cell_.hidden + ";\n"
                        : "";
    // The last layer's sequence is the result, where somebody wants it.
    const bool kept = holes["out_pointer"] != "nullptr";
    const bool buffers = cell_.layers > 1 || !kept;
    holes["shape"] = first ? cell_.batch + ", " + cell_.steps : cell_.steps + ", " + cell_.batch;
    holes["buffers"] = buffers ? Fill(
                                     "// What one layer leaves for the next.\n"
                                     "std::vector<torch::Tensor> buffers;\n",
                                     holes)
                               : "";
    const std::string own = Fill(
        "auto own = torch::empty({@shape@, @row_of_out@}, @options@);\n"
        "buffers.push_back(own);\n",
        holes);
    holes["result"] =
        !buffers ? Fill("@T@* const result = @out_pointer@;\n", holes)
        : kept   ? Fill(
                     "@T@* result = @out_pointer@;\nif (layer + 1 < @layers@) {\n  @own@\n  "
                       "result = @own_sequence@;\n}\n",
                     With(holes, "own", own))
               : own + Fill("@T@* const result = @own_sequence@;\n", holes);
    return Fill(R"(
@all_weights@
@buffers@
@memory@
@state_size@
const @T@* below = @x_pointer@;
int width = @width@;
for (int layer = 0; layer < @layers@; ++layer) {
  @result@
  // From one step, and from one sequence, to the next.
  const int x_step = @x_step@, x_row = @x_row@;
  const int out_step = @out_step@, out_row = @out_row@;
  for (int direction = 0; direction < @directions@; ++direction) {
    const int index = layer * @directions@ + direction;
    @T@* const sequence = result + direction * @hidden@;
    @chosen@
    @h_pointers@
    @c_pointers@
    @body@
  }
  below = result;
  width = @row_of_out@;
}
)",
                holes);
  }

  // A cell's arguments stand where a layer has names for those of a step.
  std::string CellLaunch(const std::string& launch) {
    const ValueId memory = scope_.head().first_result + 1;
    if (!cell_.has_memory || scope_.IsOutput(memory)) return launch;
    // Nobody reads the memory; the kernel still has to put it somewhere.
    return "auto memory_buffer = torch::empty_like(" +
           scope_.TensorName(RecurrentOperand(scope_.graph(), scope_.head(), "cx")) + ");\n" +
           launch;
  }

  std::string BufferPointer() const {
    const std::string torch = scope_.Scalar(cell_.dtype).torch;
    const std::string data = "memory_buffer.data_ptr<" + torch + ">()";
    return torch == cell_.storage ? data : "reinterpret_cast<" + cell_.storage + "*>(" + data + ")";
  }

  GroupScope& scope_;
  RecurrentCell cell_;
  Way way_;
  Holes holes_;
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
  strategies->push_back({"gates_in_memory", "a kernel for the sums of a step, one for the update",
                         IsRecurrent, WriteRecurrent<Way::kGates>});
  strategies->push_back({"kernel_a_step", "one thread a unit, all its gates", IsRecurrent,
                         WriteRecurrent<Way::kStep>});
  strategies->push_back({"block_a_sequence", "the state in shared memory through all steps",
                         IsLayer, WriteRecurrent<Way::kBlock>});
}

}  // namespace kernelmill
