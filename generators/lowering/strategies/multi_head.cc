// Multi-head attention with its projections, as several kernels that run one after the other.
#include "generators/lowering/attention/attention_tile.h"
#include "generators/lowering/contractions/contraction_tile.h"
#include "generators/lowering/kernel_sequence.h"
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

// A product with a part of the input weight, or with the output weight.
struct Projection {
  // The parts (of query, key and value) that it computes; those with the same input go together.
  int first = 0, parts = 1;
  bool is_output = false;
  std::string rows;                              // The host's name for the number of rows.
  std::int64_t row_count = 1, column_count = 1;  // At the task's sizes.
};

class MultiHeadWriter {
 public:
  MultiHeadWriter(GroupScope* scope, bool tiled)
      : scope_(*scope), node_(scope->head()), tiled_(tiled), plan_(code_.plan) {
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
        projections_.back().column_count += width;
      } else {
        projections_.push_back({.first = part,
                                .rows = part == 0 ? "query_rows" : "key_rows",
                                .row_count = (part == 0 ? q_shape : k_shape)[0] * batch_count_,
                                .column_count = width});
      }
    }
    projections_.push_back({.is_output = true,
                            .rows = "query_rows",
                            .row_count = q_shape[0] * batch_count_,
                            .column_count = width});
    spec_ = Spec(q_shape[0], k_shape[0], width);
    std::vector<LaunchParameter> sizes;
    for (const char* size : {"batch", "heads", "queries", "keys", "width"}) {
      sizes.push_back({"int", size, holes_.at(size)});
    }
    kernels_.emplace(scope_, sizes, &code_);
  }

  GroupCode Write() {
    plan_.index_type = "int";
    plan_.threads = 256;
    plan_.mapping = std::string("queries, keys and values are projected ") +
                    (tiled_ ? "tile by tile, several elements a thread in registers"
                            : "by one thread an element");
    Holes holes = holes_;
    holes["stream"] = scope_.backend().current_stream;
    holes["query_rows"] = InHost({"queries", "batch"});
    holes["key_rows"] =
        projections_[0].parts == 3 ? "" : ", key_rows = " + InHost({"keys", "batch"});
    const std::string result = "auto attended = torch::empty({query_rows, @width@}, @options@);\n";
    holes["attended"] = attended_ ? "" : FillHoles(result, holes_);
    code_.after_outputs = FillHoles(R"(
const auto stream = @stream@;
const int query_rows = @query_rows@@key_rows@;
auto context = torch::empty({query_rows, @width@}, @options@);
@attended@
// The input weight holds those of queries, keys and values, one below the other.
)",
                                    holes);
    for (const Projection& projection : projections_) {
      if (projection.is_output) Attend();
      tiled_ ? ProjectByTiles(projection) : ProjectByThreads(projection);
    }
    if (!weights_.empty()) MeanOfHeads();
    plan_.reasons.push_back({"heads are slices of the width",
                             "head h owns the elements h * depth to h * depth + depth - 1 of a "
                             "row: nothing is transposed"});
    if (tiled_) {
      plan_.reasons.push_back({"projections through shared memory",
                               "a tile serves each element that it loads for a whole row or "
                               "column of the tile's results"});
    }
    return code_;
  }

 private:
  std::string Load(const std::string& place) const { return ToComputeType(dtype_, place); }
  std::string Pointer(ValueId id) const { return scope_.TensorParameter(id).argument; }
  std::string Buffer(const std::string& tensor) const {
    const ScalarName scalar = scope_.Scalar(dtype_);
    const std::string data = tensor + ".data_ptr<" + scalar.torch + ">()";
    return scalar.torch == scalar.storage
               ? data
               : "reinterpret_cast<" + scalar.storage + "*>(" + data + ")";
  }

  // The projection that computes part `part` (query, key or value).
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
  // The launch argument that points to the first element of part `part`.
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

  // The parameters of the product of rows of x and the transposed weight. Allocates the result,
  // except for the last projection.
  std::vector<LaunchParameter> ParametersOf(const Projection& projection) {
    const std::string T = holes_["T"], width = holes_["width"];
    const std::string columns =
        (projection.parts == 1 ? "" : std::to_string(projection.parts) + " * ") + width;
    // The first row of the weight that is used.
    const std::string begin =
        projection.first == 0 ? "" : (projection.first == 1 ? "" : "2 * ") + width;
    std::string x = Buffer("context"), weight = holes_["out_weight"], bias = holes_["out_bias"],
                result = holes_["out"];
    if (!projection.is_output) {
      const std::string buffer = NameOf(projection);
      code_.after_outputs += "auto " + buffer + " = torch::empty({" + projection.rows + ", " +
                             columns + "}, " + holes_["options"] + ");\n";
      x = Pointer(scope_.graph().operands(node_)[projection.first]);
      weight = holes_["in_weight"] + (begin.empty() ? "" : " + " + begin + " * " + width);
      bias = holes_["in_bias"] + (begin.empty() ? "" : " + " + begin);
      result = Buffer(buffer);
    }
    const std::string factor = "const " + T + "* __restrict__";
    std::vector<LaunchParameter> parameters = {{factor, "x", x}, {factor, "weight", weight}};
    if (bias_) parameters.push_back({factor, "bias", bias});
    parameters.push_back({T + "* __restrict__", "result", result});
    parameters.push_back({"int", "rows", projection.rows});
    parameters.push_back({"int", "columns", columns});
    parameters.push_back({"int", "width", width});
    return parameters;
  }
  // The statements that store a projection's sum `acc`.
  std::string StoreOfProjection() const {
    const std::string sum = bias_ ? "acc + " + Load("bias[n]") : "acc";
    return "result[m * columns + n] = " + ToStorageType(dtype_, sum) + ";\n";
  }

  void ProjectByThreads(const Projection& projection) {
    const std::vector<LaunchParameter> parameters = ParametersOf(projection);
    if (!kernels_->IsDefined("project")) {
      kernels_->Define(
          {.name = "project",
           .comment = "Rows of x times the transposed weight: thread i computes element i.",
           .parameters = parameters,
           .attributes = "",
           .body = FillHoles(R"(
const int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i >= rows * columns) return;
const int m = i / columns, n = i % columns;
float acc = 0.0f;
for (int k = 0; k < width; ++k) acc += @x@ * @weight@;
@store@
)",
                             {{"x", Load("x[m * width + k]")},
                              {"weight", Load("weight[n * width + k]")},
                              {"store", StoreOfProjection()}})});
      plan_.grid = "(rows * columns + 255) / 256";
    }
    const std::string columns = parameters[parameters.size() - 2].argument;
    kernels_->Launch("project", parameters,
                     '(' + projection.rows + " * " + columns + " + 255) / 256", 256);
  }

  void ProjectByTiles(const Projection& projection) {
    const std::vector<LaunchParameter> parameters = ParametersOf(projection);
    ContractionSpec spec;
    spec.m.Add("m", "rows", projection.row_count);
    spec.n.Add("n", "columns", projection.column_count);
    spec.k.Add("k", "width", spec_.depth_count * heads_);
    spec.a.value = Load("x[m * width + k]");
    spec.b.value = Load("weight[n * width + k]");
    spec.type = "float";
    const Tile tile = TileFor(spec, true);
    const TileNames names = {.M = "rows",
                             .N = "columns",
                             .k_begin = "0",
                             .k_end = "width",
                             .m_axis = "x",
                             .n_axis = "y"};
    const std::string rows = std::to_string(tile.rows), cols = std::to_string(tile.cols);
    // Projections with equal tile sizes share one kernel.
    const std::string name = "project_" + rows + 'x' + cols;
    if (!kernels_->IsDefined(name)) {
      kernels_->Define({.name = name,
                        .comment = "Rows of x times the transposed weight: a block computes a " +
                                   rows + " x " + cols + " tile of the result, each thread " +
                                   std::to_string(tile.results_of_thread()) +
                                   " elements in registers.",
                        .parameters = parameters,
                        .attributes = TileLaunchBounds(tile),
                        .body = TileBody(scope_, spec, tile, names, StoreOfProjection()),
                        .shared_bytes = 4 * tile.shared_floats()});
    }
    if (plan_.grid.empty()) {
      plan_.grid = '(' + TileGrid(names, tile) + ')';
      plan_.threads = tile.threads();
    }
    const std::string columns = parameters[parameters.size() - 2].argument;
    kernels_->Launch(
        name, parameters,
        "dim3(" + TileGrid({.M = projection.rows, .N = columns, .m_axis = "x"}, tile) + ")",
        tile.threads());
  }

  LaunchParameter Part(int part) const {
    constexpr std::string_view kNames[] = {"q_rows", "k_rows", "v_rows"};
    return {"const " + holes_.at("T") + "* __restrict__", std::string(kNames[part]),
            PartPointer(part)};
  }
  LaunchParameter Scores(bool written) const {
    return {written ? "float*" : "const float* __restrict__", "scores", "scores.data_ptr<float>()"};
  }
  // `body` may use depth.
  void Run(KernelSequence::Kernel kernel, const std::string& grid, int threads) {
    if (UsesName(kernel.body, "depth")) {
      kernel.body = "const int depth = width / heads;\n" + kernel.body;
    }
    kernels_->Run(std::move(kernel), grid, threads);
  }
  // The host's expression for the product of these sizes.
  std::string InHost(const std::vector<std::string>& sizes) const {
    std::vector<std::string> known;
    for (const std::string& size : sizes) known.push_back(holes_.at(size));
    return GroupScope::Product(known);
  }
  std::string DepthInHost() const { return holes_.at("width") + " / " + holes_.at("heads"); }

  LaunchParameter Context() const {
    return {holes_.at("T") + "* __restrict__", "context", Buffer("context")};
  }
  // The statements that store an element of a head's result.
  std::string StoreOfHead() const {
    return "context[(query * batch + sequence) * width + h * depth + d] = " +
           ToStorageType(dtype_, "result") + ";\n";
  }

  // The kernels between the input projections and the output projection.
  void Attend() {
    if (tiled_ && weights_.empty()) return AttendInTiles();
    const std::string pair_index = spec_.ScoreIndexType(scope_);
    code_.after_outputs += FillHoles(R"(
const @index@ pairs = @wide@@count@;
auto scores = torch::empty({pairs}, @options@.dtype(torch::kFloat32));
)",
                                     {{"index", pair_index},
                                      {"wide", pair_index == "int64_t" ? "int64_t{1} * " : ""},
                                      {"count", InHost({"batch", "heads", "queries", "keys"})},
                                      {"options", holes_["options"]}});
    const std::string rows = InHost({"batch", "heads", "queries"});
    if (!tiled_) {
      Run({.name = "scores",
           .comment =
               "The score of every query with every key, in each head: thread i computes one.",
           .parameters = {Part(0), Part(1), Scores(true), {pair_index, "pairs", "pairs"}},
           .attributes = "",
           .body = ScoreBody(scope_, spec_)},
          "(pairs + 255) / 256", 256);
      Run({.name = "sums",
           .comment = "One block a query of a head: the softmax of its scores, and the sum of the "
                      "values by it.",
           .parameters = {Scores(true), Part(2), Context()},
           .attributes = "",
           .body = SoftmaxAndSumBody(scope_, spec_, StoreOfHead()),
           .shared_bytes = 4 * kSoftmaxThreads},
          rows, kSoftmaxThreads);
      plan_.grid += ", then (pairs + 255) / 256, then batch * heads * queries";
      plan_.mapping +=
          "; one thread a pair scores a query with a key; one block a query of a head takes the "
          "softmax and adds the values up";
      return;
    }
    RunProduct({.name = "scores",
                .comment = "The scores of every query with every key, a head a block along x.",
                .parameters = {Part(0), Part(1), Scores(true)}},
               ScoreProduct(spec_), {"queries", "keys", "depth"},
               "scores[(group * queries + m) * keys + n] = acc * " + spec_.scale + ";\n");
    Run({.name = "softmax",
         .comment = "One block a query of a head turns its scores into weights.",
         .parameters = {Scores(true)},
         .attributes = "",
         .body = SoftmaxBody(scope_, spec_),
         .shared_bytes = 4 * kSoftmaxThreads},
        rows, kSoftmaxThreads);
    RunProduct({.name = "sums",
                .comment = "The sums of the values by the weights, a head a block along x.",
                .parameters = {Scores(false), Part(2), Context()}},
               ValueProduct(spec_), {"queries", "depth", "keys"},
               "const float result = acc;\n" + StoreOfHead());
    plan_.grid += ", then tiles of the scores, batch * heads * queries, and tiles of the sums";
    plan_.mapping +=
        "; scores and sums of values are products by tiles too, and between them one block a query "
        "of a head takes the softmax";
    plan_.reasons.push_back({"scores in memory",
                             "the weights are a result too, so they have to be written anyway"});
  }

  void AttendInTiles() {
    const AttentionTile tile = AttentionTileFor(spec_);
    AttentionSpec host = spec_;
    host.heads = {};
    host.heads.Add("head", InHost({"batch", "heads"}), 1);
    host.queries = holes_["queries"];
    host.width = DepthInHost();
    Run({.name = "attention",
         .comment = "A block takes " + std::to_string(tile.queries) +
                    " queries of one head through the keys in tiles of " +
                    std::to_string(tile.keys) + ", the softmax kept up to date (online).",
         .parameters = {Part(0), Part(1), Part(2), Context()},
         .attributes = AttentionLaunchBounds(tile),
         .body = TiledAttentionBody(scope_, spec_, tile, StoreOfHead()),
         .shared_bytes = tile.shared_bytes()},
        "dim3(" + AttentionGrid(host, tile) + ")", tile.threads());
    plan_.grid += ", then (" + AttentionGrid(spec_, tile) + ")";
    plan_.mapping += "; " + AttentionMappingOf(tile);
    AddAttentionReasons(spec_, tile, &plan_.reasons);
  }

  // The sizes of a product that is computed for every head.
  struct ProductSizes {
    std::string rows, columns, summed;
  };
  void RunProduct(KernelSequence::Kernel kernel, const ContractionSpec& spec,
                  const ProductSizes& sizes, const std::string& store) {
    const Tile tile = TileFor(spec, true);
    // The heads are on the x axis, which allows the most blocks.
    kernel.body = "const int group = blockIdx.x;\n" + TileBody(scope_, spec, tile,
                                                               {.M = sizes.rows,
                                                                .N = sizes.columns,
                                                                .k_begin = "0",
                                                                .k_end = sizes.summed,
                                                                .m_axis = "y",
                                                                .n_axis = "z"},
                                                               store);
    kernel.attributes = TileLaunchBounds(tile);
    kernel.shared_bytes = 4 * tile.shared_floats();
    const auto in_host = [&](const std::string& size) {
      return size == "depth" ? DepthInHost() : holes_.at(size);
    };
    Run(std::move(kernel),
        "dim3(" + InHost({"batch", "heads"}) + ", " +
            RoundedUpQuotient(in_host(sizes.rows), tile.rows) + ", " +
            RoundedUpQuotient(in_host(sizes.columns), tile.cols) + ")",
        tile.threads());
  }

  void MeanOfHeads() {
    code_.after_outputs += "const int of_head = " + InHost({"queries", "keys"}) +
                           ", weight_count = " + GroupScope::Product({holes_["batch"], "of_head"}) +
                           ";\n";
    Run({.name = "mean",
         .comment = "The weights that are returned: the mean of all heads'.",
         .parameters = {Scores(false),
                        {holes_["T"] + "* __restrict__", "weights", weights_},
                        {"int", "of_head", "of_head"},
                        {"int", "count", "weight_count"}},
         .attributes = "",
         .body = FillHoles(R"(
const int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i >= count) return;
const int sequence = i / of_head, pair = i % of_head;
float sum = 0.0f;
for (int head = 0; head < heads; ++head) {
  sum += scores[(sequence * heads + head) * of_head + pair];
}
weights[i] = @mean@;
)",
                           {{"mean", ToStorageType(dtype_, "sum / heads")}})},
        "(weight_count + 255) / 256", 256);
  }

  GroupScope& scope_;
  const Node& node_;
  bool tiled_, bias_ = false, attended_ = false;
  DType dtype_ = DType::kFloat32;
  std::string weights_;  // The pointer to the attention weights, if they are a used result.
  std::int64_t heads_ = 1, batch_count_ = 1;
  std::vector<Projection> projections_;
  AttentionSpec spec_;
  Holes holes_;
  GroupCode code_;
  CallPlan& plan_;
  std::optional<KernelSequence> kernels_;
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
