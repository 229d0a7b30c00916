#include "generators/lowering/recurrent/recurrent_host.h"

namespace kernelmill {

Holes RecurrentHost::WithState(Holes holes, bool reads) {
  holes["state"] = reads ? ", " + holes["state"] : "";
  return holes;
}

Holes RecurrentHost::With(Holes holes, const std::string& key, const std::string& value) {
  holes[key] = value;
  return holes;
}

Holes RecurrentHost::Arguments() const {
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
    holes["below"] = Pointer(graph.operands(node)[0]);
    holes["x_arguments"] = holes["below"] + ", " + cell_.width + ", " + holes["state"];
    holes["h_arguments"] = holes["state"];
    holes["input_weights"] = of("weight_ih") + (bias ? ", " + of("bias_ih") : "");
    holes["state_weights"] = of("weight_hh") + (bias ? ", " + of("bias_hh") : "");
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
  holes["below"] = "below";
  holes["h_arguments"] = holes["state"];
  holes["input_weights"] = bias ? "w_ih, b_ih" : "w_ih";
  holes["state_weights"] = bias ? "w_hh, b_hh" : "w_hh";
  holes["x_arguments"] = "x, x_row, h, h_row";
  holes["c"] = memory ? ", c" : "";
  holes["next_arguments"] =
      memory ? "h_next, h_next_row, h_last, c_next, c_last" : "h_next, h_next_row, h_last";
  holes["arguments"] = holes["x_arguments"] + holes["c"] + ", " + holes["weights"] + ", " +
                       holes["next_arguments"];
  return holes;
}

std::string RecurrentHost::Pointer(ValueId id, bool output) const {
  if (id == kAbsent || (output && !scope_.IsOutput(id))) return "nullptr";
  return scope_.TensorParameter(id).argument;
}

std::string RecurrentHost::Launches(const std::string& launch,
                                    const std::string& first_launch) const {
  if (!cell_.layer) return CellLaunch(first_launch + launch);
  Holes holes = holes_;
  const bool memory = cell_.has_memory;
  holes["launch"] = launch;
  holes["c_of_step"] =
      memory ? FillHoles(
                   "const @T@* c = step == 0 ? first_c : memory;\n@T@* const c_next = memory;\n"
                   "@T@* const c_last = step + 1 == @steps@ ? last_c : nullptr;\n",
                   holes_)
             : "";
  holes["x_of_step"] =
      UsesName(launch, "x") ? FillHoles("const @T@* const x = below + t * x_step;\n", holes) : "";
  const std::string body = first_launch + FillHoles(R"(
for (int step = 0; step < @steps@; ++step) {
  const int t = direction == 0 ? step : @steps@ - 1 - step;
  const int before = direction == 0 ? t - 1 : t + 1;
  @x_of_step@
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
  return LayerLoop(body, false);
}

std::string RecurrentHost::LayerLoop(const std::string& body, bool one_launch) const {
  const OperatorGraph& graph = scope_.graph();
  const Node& node = scope_.head();
  Holes holes = holes_;
  holes["body"] = body;
  // Names that the body uses already.
  const bool memory = cell_.has_memory;
  holes["first_h"] = one_launch ? "h" : "first_h";
  holes["last_h"] = one_launch ? "h_last" : "last_h";
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
  // The strides of time and of the batch.
  const bool first = cell_.batch_first;
  holes["x_step"] = first ? "width" : cell_.batch + " * width";
  holes["x_row"] = first ? cell_.steps + " * width" : "width";
  holes["out_step"] = first ? holes["row_of_out"] : cell_.batch + " * " + holes["row_of_out"];
  holes["out_row"] = first ? cell_.steps + " * " + holes["row_of_out"] : holes["row_of_out"];
  holes["x_strides"] = UsesName(body, "x_step") || UsesName(body, "x_row")
                           ? FillHoles("const int x_step = @x_step@, x_row = @x_row@;\n", holes)
                           : "";
  if (memory) {
    holes["cx"] = Pointer(RecurrentOperand(graph, node, "cx"));
    holes["c_n"] = Pointer(node.first_result + 2, true);
    holes["c_pointers"] =
        FillHoles(cell_.has_states ? "const @T@* const @c@ = @cx@ + index * state_size;\n"
                                   : "const @T@* const @c@ = nullptr;  // Zeros.\n",
                  With(holes, "c", one_launch ? "c" : "first_c"));
    holes["c_pointers"] +=
        FillHoles(holes["c_n"] == "nullptr" ? "@T@* const @c@ = nullptr;\n"
                                            : "@T@* const @c@ = @c_n@ + index * state_size;\n",
                  With(holes, "c", one_launch ? "c_last" : "last_c"));
    if (!one_launch) {
      holes["memory"] = FillHoles(
          "// Between two steps; each thread reads and writes its own element only.\n"
          "auto memory_buffer = torch::empty({@batch@, @hidden@}, @options@);\n"
          "@T@* const memory = @memory_data@;\n",
          holes);
    }
  }
  holes.try_emplace("c_pointers", "");
  holes.try_emplace("memory", "");
  holes["h_pointers"] =
      FillHoles(cell_.has_states ? "const @T@* const @first_h@ = @hx@ + index * state_size;\n"
                                 : "const @T@* const @first_h@ = nullptr;  // Zeros.\n",
                holes) +
      FillHoles(holes["h_n"] == "nullptr" ? "@T@* const @last_h@ = nullptr;\n"
                                          : "@T@* const @last_h@ = @h_n@ + index * state_size;\n",
                holes);
  const bool uses_state_size = holes["h_pointers"].find("state_size") != std::string::npos ||
                               holes["c_pointers"].find("state_size") != std::string::npos;
  holes["state_size"] =
      uses_state_size ? "const int state_size = " + cell_.batch + " * " + cell_.hidden + ";\n"
                      : "";
  // The last layer's sequence is the result, if it is used.
  const bool kept = holes["out_pointer"] != "nullptr";
  const bool buffers = cell_.layers > 1 || !kept;
  holes["shape"] = first ? cell_.batch + ", " + cell_.steps : cell_.steps + ", " + cell_.batch;
  holes["buffers"] = buffers ? FillHoles(
                                   "// What one layer leaves for the next.\n"
                                   "std::vector<torch::Tensor> buffers;\n",
                                   holes)
                             : "";
  const std::string own = FillHoles(
      "auto own = torch::empty({@shape@, @row_of_out@}, @options@);\n"
      "buffers.push_back(own);\n",
      holes);
  holes["result"] =
      !buffers ? FillHoles("@T@* const result = @out_pointer@;\n", holes)
      : kept   ? FillHoles(
                   "@T@* result = @out_pointer@;\nif (layer + 1 < @layers@) {\n  @own@\n  "
                     "result = @own_sequence@;\n}\n",
                   With(holes, "own", own))
             : own + FillHoles("@T@* const result = @own_sequence@;\n", holes);
  return FillHoles(R"(
@all_weights@
@buffers@
@memory@
@state_size@
const @T@* below = @x_pointer@;
int width = @width@;
for (int layer = 0; layer < @layers@; ++layer) {
  @result@
  // From one step, and from one sequence, to the next.
  @x_strides@
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

std::string RecurrentHost::CellLaunch(const std::string& launch) const {
  const ValueId memory = scope_.head().first_result + 1;
  if (!cell_.has_memory || scope_.IsOutput(memory)) return launch;
  // The memory state is not used, but the kernel must write it somewhere.
  return "auto memory_buffer = torch::empty_like(" +
         scope_.TensorName(RecurrentOperand(scope_.graph(), scope_.head(), "cx")) + ");\n" +
         launch;
}

std::string RecurrentHost::BufferPointer() const {
  const std::string torch = scope_.Scalar(cell_.dtype).torch;
  const std::string data = "memory_buffer.data_ptr<" + torch + ">()";
  return torch == cell_.storage ? data : "reinterpret_cast<" + cell_.storage + "*>(" + data + ")";
}

}  // namespace kernelmill
