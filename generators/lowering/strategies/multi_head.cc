// Multi-head attention with its projections: several kernels, one behind the other.
#include "generators/lowering/attention_tile.h"
#include "generators/lowering/contraction_tile.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

bool IsMultiHead(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0 || group.nodes.size() != 1) return false;
  const Node& node = graph.nodes()[group.head];
  return node.op->name == "multi_head_attention_forward" &&
         graph.value(graph.operands(node)[0]).type.dtype != DType::kFloat64;
}

enum Operand { kQuery, kKey, kValue, kInWeight, kOutWeight, kInBias, kOutBias };

// One product with a part of the input weight, or with the output weight.
struct Projection {
  int first = 0, parts = 1;  // Of queries, keys and values; those of the same tensor go together.
  bool is_output = false;
  std::int64_t rows = 1, columns = 1;  // At the task's sizes.
};

class MultiHeadWriter {
 public:
  MultiHeadWriter(GroupScope* scope, bool tiled)
      : scope_(*scope), node_(scope->head()), tiled_(tiled), name_(scope->function()) {
    const auto operands = scope_.graph().operands(node_);
    dtype_ = scope_.TypeOf(operands[kQuery]).dtype;
    const std::vector<std::string> query = scope_.Sizes(operands[kQuery]),
                                   key = scope_.Sizes(operands[kKey]);
    bias_ = operands.size() > kInBias && operands[kInBias] != kAbsent;
    attended_ = scope_.IsOutput(node_.first_result);
    if (node_.result_count > 1 && scope_.IsOutput(node_.first_result + 1)) {
      weights_ = Pointer(node_.first_result + 1);
    }
    heads_ = AttributeOf(scope_.graph(), node_, "num_heads").integer();
    const std::string storage = scope_.Scalar(dtype_).storage;
    holes_ = {{"T", storage},
              {"queries", query[0]},
              {"keys", key[0]},
              {"batch", query.size() == 3 ? query[1] : "1"},
              {"width", query.back()},
              {"heads", std::to_string(heads_)},
              {"check", std::string(scope_.dialect().check)},
              {"in_weight", Pointer(operands[kInWeight])},
              {"out_weight", Pointer(operands[kOutWeight])},
              {"in_bias", bias_ ? Pointer(operands[kInBias]) : ""},
              {"out_bias", bias_ ? Pointer(operands[kOutBias]) : ""},
              {"options", scope_.TensorName(operands[kQuery]) + ".options()"},
              {"out", attended_ ? Pointer(node_.first_result) : Buffer("attended")}};
    const Shape &q_shape = scope_.TypeOf(operands[kQuery]).shape,
                &k_shape = scope_.TypeOf(operands[kKey]).shape;
    const std::int64_t width = q_shape.Back(0);
    batch_count_ = q_shape.rank() == 3 ? q_shape[1] : 1;
    for (int part = 0; part < 3; ++part) {
      if (part > 0 && operands[part] == operands[part - 1]) {
        ++projections_.back().parts;
        projections_.back().columns += width;
      } else {
        projections_.push_back({.first = part,
                                .rows = (part == 0 ? q_shape : k_shape)[0] * batch_count_,
                                .columns = width});
      }
    }
    projections_.push_back(
        {.is_output = true, .rows = q_shape[0] * batch_count_, .columns = width});
    spec_ = Spec(q_shape[0], k_shape[0], width);
  }

  GroupCode Write() {
    GroupCode code;
    plan_ = &code.plan;
    plan_->index_type = "int";
    plan_->threads = 256;
    plan_->mapping = std::string("queries, keys and values are projected ") +
                     (tiled_ ? "tile by tile, several elements a thread in registers"
                             : "by one thread an element");
    Holes holes = holes_;
    holes["stream"] = scope_.dialect().stream;
    holes["query_rows"] = InHost({"queries", "batch"});
    holes["key_rows"] =
        projections_[0].parts == 3 ? "" : ", key_rows = " + InHost({"keys", "batch"});
    code.launch = Fill(R"(
const auto stream = @stream@;
const int query_rows = @query_rows@@key_rows@;
auto context = torch::empty({query_rows, @width@}, @options@);
)",
                       holes);
    if (!attended_) {
      code.launch +=
          Fill("auto attended = torch::empty({query_rows, @width@}, @options@);\n", holes_);
    }
    code.launch +=
        "// The input weight holds those of queries, keys and values, one below the other.\n";
    for (const Projection& projection : projections_) {
      if (projection.is_output) Attend(&code);
      Project(projection, &code);
    }
    if (!weights_.empty()) MeanOfHeads(&code);
    plan_->reasons.push_back({"heads are slices of the width",
                              "head h owns the elements h * depth to h * depth + depth - 1 of a "
                              "row: nothing is transposed"});
    if (tiled_) {
      plan_->reasons.push_back({"projections through shared memory",
                                "a tile serves each element that it loads for a whole row or "
                                "column of the tile's results"});
    }
    return code;
  }

 private:
  std::string Load(const std::string& place) const {
    return Loaded(dtype_, scope_.dialect(), place);
  }
  std::string Pointer(ValueId id) const { return scope_.TensorParameter(id).argument; }
  std::string Buffer(const std::string& tensor) const {
    const ScalarName scalar = scope_.Scalar(dtype_);
    const std::string data = tensor + ".data_ptr<" + scalar.torch + ">()";
    return scalar.torch == scalar.storage
               ? data
               : "reinterpret_cast<" + scalar.storage + "*>(" + data + ")";
  }

  // The projection that part `part` of queries, keys and values belongs to.
  const Projection& ProjectionOf(int part) const {
    std::size_t i = 0;
    while (part >= projections_[i].first + projections_[i].parts) ++i;
    return projections_[i];
  }
  static std::string NameOf(const Projection& projection) {
    constexpr std::string_view kNames[] = {"q", "k", "v"};
    std::string name;
    for (int i = 0; i < projection.parts; ++i) name += kNames[projection.first + i];
    return name;
  }
  // Where kernels find the first element of part `part`, as an argument of a launch.
  std::string PartPointer(int part) const {
    const Projection& projection = ProjectionOf(part);
    const int before = part - projection.first;
    return Buffer(NameOf(projection)) +
           (before == 0 ? "" : (before == 1 ? " + " : " + 2 * ") + holes_.at("width"));
  }

  AttentionSpec Spec(std::int64_t queries, std::int64_t keys, std::int64_t width) const {
    const auto read = [&](int part, const std::string& rows, const std::string& row) {
      const int parts = ProjectionOf(part).parts;
      return Load(rows + "[(" + row + " * batch + sequence) * " +
                  (parts == 1 ? "" : std::to_string(parts) + " * ") + "width + h * depth + d]");
    };
    AttentionSpec spec;
    spec.heads.Add("sequence", "batch", batch_count_);
    spec.heads.Add("h", "heads", heads_);
    spec.queries = "queries";
    spec.keys = "keys";
    spec.depth = spec.width = "depth";
    spec.query_count = queries;
    spec.key_count = keys;
    spec.depth_count = spec.width_count = width / heads_;
    spec.q = read(0, "q_rows", "query");
    spec.k = read(1, "k_rows", "key");
    spec.v = read(2, "v_rows", "key");
    spec.scale = "rsqrtf(static_cast<float>(depth))";
    return spec;
  }

  std::string KernelName(const std::string& kernel) const {
    return name_ + '_' + kernel + "_kernel";
  }
  // A kernel of this operator; `body` may use depth.
  void AddKernel(const std::string& kernel, const std::string& comment,
                 const std::vector<LaunchParameter>& parameters, const std::string& attributes,
                 const std::string& body, GroupCode* code) {
    if (!code->device.empty()) code->device += '\n';
    code->device +=
        CommentText(comment) +
        SignatureText("__global__ void" + attributes + ' ' + KernelName(kernel) + '(', parameters,
                      ") {") +
        Fill("\n\n  @depth@\n  @body@\n}\n",
             {{"depth", UsesName(body, "depth") ? "const int depth = width / heads;\n" : ""},
              {"body", body}});
    plan_->kernels.push_back(KernelName(kernel));
  }
  void AddLaunch(const std::string& kernel, const std::string& grid, int threads,
                 const std::vector<LaunchParameter>& parameters, GroupCode* code) {
    code->launch += LaunchText(KernelName(kernel) + "<<<" + grid + ", " + std::to_string(threads) +
                                   ", 0, stream>>>(",
                               parameters) +
                    '\n' + holes_["check"] + '\n';
  }

  // Rows of x times the transposed weight.
  void Project(const Projection& projection, GroupCode* code) {
    const std::string rows = projection.is_output || projection.first == 0 ? "query_rows" : "key_rows";
    const std::string columns =
        (projection.parts == 1 ? "" : std::to_string(projection.parts) + " * ") + holes_["width"];
    std::string result = holes_["out"];
    if (!projection.is_output) {
      Holes holes = holes_;
      holes["buffer"] = NameOf(projection);
      holes["rows"] = rows;
      holes["columns"] = columns;
      code->launch += Fill("auto @buffer@ = torch::empty({@rows@, @columns@}, @options@);\n", holes);
      result = Buffer(NameOf(projection));
    }
    const std::string begin =
        projection.first == 0 ? ""
                              : (projection.first == 1 ? "" : "2 * ") + holes_["width"];
    const std::string T = holes_["T"];
    const auto operands = scope_.graph().operands(node_);
    std::vector<LaunchParameter> parameters = {
        {"const " + T + "* __restrict__", "x",
         projection.is_output ? Buffer("context") : Pointer(operands[projection.first])},
        {"const " + T + "* __restrict__", "weight",
         projection.is_output ? holes_["out_weight"]
         : begin.empty()      ? holes_["in_weight"]
                              : holes_["in_weight"] + " + " + begin + " * " + holes_["width"]}};
    if (bias_) {
      parameters.push_back({"const " + T + "* __restrict__", "bias",
                            projection.is_output ? holes_["out_bias"]
                            : begin.empty()      ? holes_["in_bias"]
                                                 : holes_["in_bias"] + " + " + begin});
    }
    for (const LaunchParameter& rest : std::initializer_list<LaunchParameter>{
             {T + "* __restrict__", "result", result},
             {"int", "rows", rows},
             {"int", "columns", columns},
             {"int", "width", holes_["width"]}}) {
      parameters.push_back(rest);
    }
    const std::string sum = bias_ ? "acc + " + Load("bias[n]") : "acc";
    const std::string store =
        "result[m * columns + n] = " + Stored(dtype_, scope_.dialect(), sum) + ";\n";
    if (!tiled_) {
      if (projection.first == 0 && !projection.is_output) {
        AddKernel("project", "Rows of x times the transposed weight: thread i computes element i.",
                  parameters, "", Fill(R"(
const int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i >= rows * columns) return;
const int m = i / columns, n = i % columns;
float acc = 0.0f;
for (int k = 0; k < width; ++k) acc += @x@ * @weight@;
@store@
)",
                                       {{"x", Load("x[m * width + k]")},
                                        {"weight", Load("weight[n * width + k]")},
                                        {"store", store}}),
                  code);
        plan_->grid = "(rows * columns + 255) / 256";
      }
      AddLaunch("project", "(" + rows + " * " + columns + " + 255) / 256", 256, parameters, code);
      return;
    }
    ContractionSpec spec;
    spec.m.Add("m", "rows", projection.rows);
    spec.n.Add("n", "columns", projection.columns);
    spec.k.Add("k", "width", spec_.depth_count * heads_);
    spec.a.value = Load("x[m * width + k]");
    spec.b.value = Load("weight[n * width + k]");
    spec.type = "float";
    const Tile tile = TileFor(spec, true);
    const std::string size = std::to_string(tile.rows) + "x" + std::to_string(tile.cols),
                      kernel = "project_" + size;
    if (!UsesName(code->device, KernelName(kernel))) {
      AddKernel(kernel,
                "Rows of x times the transposed weight: a block computes a " +
                    std::to_string(tile.rows) + " x " + std::to_string(tile.cols) +
                    " tile of the result, each thread " +
                    std::to_string(tile.results_of_thread()) + " elements in registers.",
                parameters, Bounds(tile),
                TileBody(scope_, spec, tile,
                         {.M = "rows",
                          .N = "columns",
                          .k_begin = "0",
                          .k_end = "width",
                          .m_axis = "x",
                          .n_axis = "y"},
                         store),
                code);
      KeepShared(4 * tile.shared_floats());
    }
    const std::string grid = GridOf({.M = rows, .N = columns, .m_axis = "x"}, tile);
    if (plan_->grid.empty()) {
      plan_->grid = '(' + GridOf({.M = "rows", .N = "columns", .m_axis = "x"}, tile) + ')';
      plan_->threads = tile.threads();
    }
    AddLaunch(kernel, "dim3(" + grid + ")", tile.threads(), parameters, code);
  }

  LaunchParameter Part(int part) const {
    constexpr std::string_view kNames[] = {"q_rows", "k_rows", "v_rows"};
    return {"const " + holes_.at("T") + "* __restrict__", std::string(kNames[part]),
            PartPointer(part)};
  }
  LaunchParameter Scores(bool written) const {
    return {written ? "float*" : "const float* __restrict__", "scores", "scores.data_ptr<float>()"};
  }
  // What `parameters` are, and the sizes that `body` uses.
  std::vector<LaunchParameter> WithSizes(std::vector<LaunchParameter> parameters,
                                         const std::string& body) const {
    const bool depth = UsesName(body, "depth");
    for (const char* size : {"batch", "heads", "queries", "keys", "width"}) {
      const std::string name = size;
      if (UsesName(body, name) || (depth && (name == "heads" || name == "width"))) {
        parameters.push_back({"int", name, holes_.at(name)});
      }
    }
    return parameters;
  }
  // One kernel and its launch.
  void Run(const std::string& kernel, const std::string& comment,
           std::vector<LaunchParameter> parameters, const std::string& attributes,
           const std::string& body, const std::string& grid, int threads, GroupCode* code) {
    parameters = WithSizes(std::move(parameters), body);
    AddKernel(kernel, comment, parameters, attributes, body, code);
    AddLaunch(kernel, grid, threads, parameters, code);
  }
  void KeepShared(int bytes) {
    plan_->shared_bytes = std::max<std::int64_t>(plan_->shared_bytes, bytes);
  }
  // What the host calls the product of these sizes.
  std::string InHost(const std::vector<std::string>& sizes) const {
    std::vector<std::string> known;
    for (const std::string& size : sizes) known.push_back(holes_.at(size));
    return GroupScope::Product(known);
  }
  std::string DepthInHost() const { return holes_.at("width") + " / " + holes_.at("heads"); }

  // From what was projected to what the last projection reads.
  void Attend(GroupCode* code) {
    const std::string store =
        "context[(query * batch + sequence) * width + h * depth + d] = " +
        Stored(dtype_, scope_.dialect(), "result") + ";\n";
    const LaunchParameter context = {holes_["T"] + "* __restrict__", "context", Buffer("context")};
    if (tiled_ && weights_.empty()) {
      const AttentionTile tile = AttentionTileFor(spec_);
      AttentionSpec host = spec_;
      host.heads = {};
      host.heads.Add("head", InHost({"batch", "heads"}), 1);
      host.queries = holes_["queries"];
      host.width = DepthInHost();
      Run("attention",
          "A block takes " + std::to_string(tile.queries) +
              " queries of one head through the keys in tiles of " + std::to_string(tile.keys) +
              ", the softmax kept up to date (online).",
          {Part(0), Part(1), Part(2), context}, Bounds(tile),
          TiledAttentionBody(scope_, spec_, tile, store), "dim3(" + GridOf(host, tile) + ")",
          tile.threads(), code);
      KeepShared(tile.shared_bytes());
      AttentionSpec named = spec_;
      plan_->grid += ", then (" + GridOf(named, tile) + ")";
      plan_->mapping += "; " + MappingOf(tile);
      AddReasons(spec_, tile, &plan_->reasons);
      return;
    }
    const std::string pair_index = spec_.PairIndex(scope_);
    Holes holes = holes_;
    holes["pair_index"] = pair_index;
    holes["wide"] = pair_index == "int64_t" ? "int64_t{1} * " : "";
    holes["count"] = InHost({"batch", "heads", "queries", "keys"});
    code->launch += Fill(R"(
const @pair_index@ pairs = @wide@@count@;
auto scores = torch::empty({pairs}, @options@.dtype(torch::kFloat32));
)",
                         holes);
    const std::string rows = InHost({"batch", "heads", "queries"});
    if (!tiled_) {
      Run("scores", "The score of every query with every key, in each head: thread i computes one.",
          {Part(0), Part(1), Scores(true), {pair_index, "pairs", "pairs"}}, "",
          ScoreBody(scope_, spec_), "(pairs + 255) / 256", 256, code);
      Run("sums",
          "One block a query of a head: the softmax of its scores, and the sum of the values by it.",
          {Scores(true), Part(2), context}, "", SoftmaxAndSumBody(scope_, spec_, store), rows,
          kSoftmaxThreads, code);
      KeepShared(4 * kSoftmaxThreads);
      plan_->grid += ", then (pairs + 255) / 256, then batch * heads * queries";
      plan_->mapping +=
          "; one thread a pair scores a query with a key; one block a query of a head takes the "
          "softmax and adds the values up";
      return;
    }
    RunProduct("scores", "The scores of every query with every key, a head a block along x.",
               ScoreProduct(spec_), {Part(0), Part(1), Scores(true)}, "queries", "keys", "depth",
               "scores[(group * queries + m) * keys + n] = acc * " + spec_.scale + ";\n", code);
    Run("softmax", "One block a query of a head turns its scores into weights.", {Scores(true)}, "",
        SoftmaxBody(scope_, spec_), rows, kSoftmaxThreads, code);
    RunProduct("sums", "The sums of the values by the weights, a head a block along x.",
               ValueProduct(spec_), {Scores(false), Part(2), context}, "queries", "depth", "keys",
               "const float result = acc;\n" + store, code);
    plan_->grid += ", then tiles of the scores, batch * heads * queries, and tiles of the sums";
    plan_->mapping +=
        "; scores and sums of values are products by tiles too, and between them one block a query "
        "of a head takes the softmax";
    plan_->reasons.push_back({"scores in memory",
                              "the weights are a result too, so they have to be written anyway"});
  }

  // A product of every head.
  void RunProduct(const std::string& kernel, const std::string& comment,
                  const ContractionSpec& spec, const std::vector<LaunchParameter>& parameters,
                  const std::string& M, const std::string& N, const std::string& K,
                  const std::string& store, GroupCode* code) {
    const Tile tile = TileFor(spec, true);
    // Heads are the many here: the axis that has room for most blocks is theirs.
    const std::string body = "const int group = blockIdx.x;\n" +
                             TileBody(scope_, spec, tile,
                                      {.M = M,
                                       .N = N,
                                       .k_begin = "0",
                                       .k_end = K,
                                       .m_axis = "y",
                                       .n_axis = "z"},
                                      store);
    const auto in_host = [&](const std::string& size) {
      return size == "depth" ? DepthInHost() : holes_.at(size);
    };
    Run(kernel, comment, parameters, Bounds(tile), body,
        "dim3(" + InHost({"batch", "heads"}) + ", " + PartsOf(in_host(M), tile.rows) + ", " +
            PartsOf(in_host(N), tile.cols) + ")",
        tile.threads(), code);
    KeepShared(4 * tile.shared_floats());
  }

  void MeanOfHeads(GroupCode* code) {
    code->launch += "const int of_head = " + InHost({"queries", "keys"}) +
                    ", weight_count = " + GroupScope::Product({holes_["batch"], "of_head"}) + ";\n";
    Run("mean", "The weights that are returned: the mean of all heads'.",
        {Scores(false),
         {holes_["T"] + "* __restrict__", "weights", weights_},
         {"int", "of_head", "of_head"},
         {"int", "count", "weight_count"}},
        "", Fill(R"(
const int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i >= count) return;
const int sequence = i / of_head, pair = i % of_head;
float sum = 0.0f;
for (int head = 0; head < heads; ++head) {
  sum += scores[(sequence * heads + head) * of_head + pair];
}
weights[i] = @mean@;
)",
                 {{"mean", Stored(dtype_, scope_.dialect(), "sum / heads")}}),
        "(weight_count + 255) / 256", 256, code);
  }

  GroupScope& scope_;
  const Node& node_;
  bool tiled_, bias_ = false, attended_ = false;
  DType dtype_ = DType::kFloat32;
  std::string name_;
  std::string weights_;  // The pointer of the second result, where somebody wants it.
  std::int64_t heads_ = 1, batch_count_ = 1;
  std::vector<Projection> projections_;
  AttentionSpec spec_;
  Holes holes_;
  KernelPlan* plan_ = nullptr;
};

template <bool kTiled>
GroupCode WriteMultiHead(GroupScope* scope) {
  return MultiHeadWriter(scope, kTiled).Write();
}

}  // namespace

void AddMultiHeadStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back({"tiled_projections", "projections through shared memory", IsMultiHead,
                         WriteMultiHead<true>});
  strategies->push_back({"thread_a_projection", "one thread an element of a projection",
                         IsMultiHead, WriteMultiHead<false>});
}

}  // namespace kernelmill
