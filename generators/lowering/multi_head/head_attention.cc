#include "generators/lowering/multi_head/head_attention.h"

#include <utility>

namespace kernelmill {

HeadAttention::HeadAttention(MultiHeadScope* scope, const HeadProjections& projections, bool tiled)
    : scope_(*scope),
      plan_(scope->code.plan),
      projections_(projections),
      tiled_(tiled),
      spec_(Spec()) {}

AttentionSpec HeadAttention::Spec() const {
  const auto read = [&](int part, const std::string& rows, const std::string& row) {
    const int parts = projections_.PartsWith(part);
    return scope_.Load(rows + "[(" + row + " * batch + sequence) * " +
                       (parts == 1 ? "" : std::to_string(parts) + " * ") +
                       "width + h * depth + d]");
  };
  AttentionSpec spec;
  spec.heads.Add("sequence", "batch", scope_.batch_count);
  spec.heads.Add("h", "heads", scope_.heads);
  spec.queries = "queries";
  spec.keys = "keys";
  spec.depth = spec.width = "depth";
  spec.query_count = scope_.query_count;
  spec.key_count = scope_.key_count;
  spec.depth_count = spec.width_count = scope_.width_count / scope_.heads;
  spec.q = read(0, "q_rows", "query");
  spec.k = read(1, "k_rows", "key");
  spec.v = read(2, "v_rows", "key");
  spec.scale = "rsqrtf(static_cast<float>(depth))";
  return spec;
}

LaunchParameter HeadAttention::Part(int part) const {
  constexpr std::string_view kNames[] = {"q_rows", "k_rows", "v_rows"};
  return {"const " + scope_.holes.at("T") + "* __restrict__", std::string(kNames[part]),
          projections_.PartPointer(part)};
}
LaunchParameter HeadAttention::Scores(bool written) const {
  return {written ? "float*" : "const float* __restrict__", "scores", "scores.data_ptr<float>()"};
}
// `body` may use depth.
void HeadAttention::Run(KernelSequence::Kernel kernel, const std::string& grid, int threads) {
  if (UsesName(kernel.body, "depth")) {
    kernel.body = "const int depth = width / heads;\n" + kernel.body;
  }
  scope_.kernels->Run(std::move(kernel), grid, threads);
}
std::string HeadAttention::DepthInHost() const {
  return scope_.holes.at("width") + " / " + scope_.holes.at("heads");
}

LaunchParameter HeadAttention::Context() const {
  return {scope_.holes.at("T") + "* __restrict__", "context", scope_.Buffer("context")};
}
// The statements that store an element of a head's result, which is in the variable `result`.
std::string HeadAttention::StoreOfHead(const std::string& result) const {
  return "context[(query * batch + sequence) * width + h * depth + d] = " +
         ToStorageType(scope_.dtype, result) + ";\n";
}

// The kernels between the input projections and the output projection.
void HeadAttention::Write() {
  if (tiled_ && scope_.weights.empty()) return WriteInTiles();
  const std::string pair_index = spec_.ScoreIndexType(scope_.group);
  scope_.code.after_outputs +=
      FillHoles(R"(
const @index@ pairs = @wide@@count@;
auto scores = torch::empty({pairs}, @options@.dtype(torch::kFloat32));
)",
                {{"index", pair_index},
                 {"wide", pair_index == "int64_t" ? "int64_t{1} * " : ""},
                 {"count", scope_.InHost({"batch", "heads", "queries", "keys"})},
                 {"options", scope_.holes["options"]}});
  const std::string rows = scope_.InHost({"batch", "heads", "queries"});
  if (!tiled_) {
    Run({.name = "scores",
         .comment = "The score of every query with every key, in each head: thread i computes one.",
         .parameters = {Part(0), Part(1), Scores(true), {pair_index, "pairs", "pairs"}},
         .attributes = "",
         .body = ScoreBody(scope_.group, spec_)},
        "(pairs + 255) / 256", 256);
    Run({.name = "sums",
         .comment = "One block a query of a head: the softmax of its scores, and the sum of the "
                    "values by it.",
         .parameters = {Scores(true), Part(2), Context()},
         .attributes = "",
         .body = SoftmaxAndSumBody(scope_.group, spec_, StoreOfHead("result")),
         .shared_bytes = 4 * kSoftmaxThreads},
        rows, kSoftmaxThreads);
    plan_.grid += ", then (pairs + 255) / 256, then batch * heads * queries";
    plan_.mapping +=
        "; one thread per pair scores a query with a key; one block per query of a head takes the "
        "softmax and adds the values up";
    return;
  }
  RunProduct({.name = "scores",
              .comment = "The scores of every query with every key, one head per block along x.",
              .parameters = {Part(0), Part(1), Scores(true)}},
             ScoreProduct(spec_), {"queries", "keys", "depth"},
             "scores[(group * queries + m) * keys + n] = acc * " + spec_.scale + ";\n");
  Run({.name = "softmax",
       .comment = "One block a query of a head turns its scores into weights.",
       .parameters = {Scores(true)},
       .attributes = "",
       .body = SoftmaxBody(scope_.group, spec_),
       .shared_bytes = 4 * kSoftmaxThreads},
      rows, kSoftmaxThreads);
  RunProduct({.name = "sums",
              .comment = "The sums of the values by the weights, one head per block along x.",
              .parameters = {Scores(false), Part(2), Context()}},
             ValueProduct(spec_), {"queries", "depth", "keys"}, StoreOfHead("acc"));
  plan_.grid += ", then tiles of the scores, batch * heads * queries, and tiles of the sums";
  plan_.mapping +=
      "; scores and sums of values are products by tiles too, and between them one block per query "
      "of a head takes the softmax";
  plan_.reasons.push_back({"scores in memory",
                           "the weights are an output of the module, so they have to be written "
                           "in any case"});
}

void HeadAttention::WriteInTiles() {
  const AttentionTile tile = AttentionTileFor(spec_);
  AttentionSpec host = spec_;
  host.heads = {};
  host.heads.Add("head", scope_.InHost({"batch", "heads"}), 1);
  host.queries = scope_.holes["queries"];
  host.width = DepthInHost();
  Run({.name = "attention",
       .comment = "A block takes " + std::to_string(tile.queries) +
                  " queries of one head through the keys in tiles of " + std::to_string(tile.keys) +
                  ", the softmax kept up to date (online).",
       .parameters = {Part(0), Part(1), Part(2), Context()},
       .attributes = AttentionLaunchBounds(tile),
       .body = TiledAttentionBody(scope_.group, spec_, tile, StoreOfHead("result")),
       .shared_bytes = tile.shared_bytes()},
      "dim3(" + AttentionGrid(host, tile) + ")", tile.threads());
  plan_.grid += ", then (" + AttentionGrid(spec_, tile) + ")";
  plan_.mapping += "; " + AttentionMappingOf(tile);
  AddAttentionReasons(spec_, tile, &plan_.reasons);
}

void HeadAttention::RunProduct(KernelSequence::Kernel kernel, const ContractionSpec& spec,
                               const ProductSizes& sizes, const std::string& store) {
  const Tile tile = TileFor(spec, true);
  // The heads are on the x axis, which allows the most blocks.
  kernel.body = "const int group = blockIdx.x;\n" + TileBody(scope_.group, spec, tile,
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
    return size == "depth" ? DepthInHost() : scope_.holes.at(size);
  };
  Run(std::move(kernel),
      "dim3(" + scope_.InHost({"batch", "heads"}) + ", " +
          RoundedUpQuotient(in_host(sizes.rows), tile.rows) + ", " +
          RoundedUpQuotient(in_host(sizes.columns), tile.cols) + ")",
      tile.threads());
}

void HeadAttention::WriteMeanOfHeads() {
  scope_.code.after_outputs +=
      "const int of_head = " + scope_.InHost({"queries", "keys"}) +
      ", weight_count = " + GroupScope::Product({scope_.holes["batch"], "of_head"}) + ";\n";
  Run({.name = "mean",
       .comment = "The weights that are returned: the mean of all heads'.",
       .parameters = {Scores(false),
                      {scope_.holes["T"] + "* __restrict__", "weights", scope_.weights},
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
                         {{"mean", ToStorageType(scope_.dtype, "sum / heads")}})},
      "(weight_count + 255) / 256", 256);
}

}  // namespace kernelmill
