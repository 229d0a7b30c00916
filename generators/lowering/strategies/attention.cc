// Strategies for scaled dot product attention.
#include "generators/lowering/attention/attention_tile.h"
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/strategies/families.h"

namespace kernelmill {
namespace {

bool IsAttention(const OperatorGraph& graph, const FusionGroup& group) {
  if (group.head < 0) return false;
  const Node& node = graph.nodes()[group.head];
  if (node.op->name != "scaled_dot_product_attention") return false;
  const auto operands = graph.operands(node);
  if (graph.value(operands[0]).type.dtype == DType::kFloat64) return false;
  const auto shape = [&](int i) -> const Shape& { return graph.value(operands[i]).type.shape; };
  // All operands must have the same heads.
  for (int i = 1; i < 3; ++i) {
    if (shape(i).rank() != shape(0).rank()) return false;
    for (int d = 0; d + 2 < shape(0).rank(); ++d) {
      if (shape(i)[d] != shape(0)[d]) return false;
    }
  }
  return shape(0).rank() >= 2;
}

// The mask's coordinates at head, query and key; dimensions of size 1 are broadcast.
Coordinates MaskAt(GroupScope* scope, ValueId mask, const std::vector<ValueId>& operands) {
  const Shape &shape = scope->TypeOf(mask).shape, &of_query = scope->TypeOf(operands[0]).shape,
              &of_key = scope->TypeOf(operands[1]).shape;
  const std::vector<std::string> q = scope->Sizes(operands[0]);
  std::vector<std::string> behind, axes(shape.rank());
  for (int d = shape.rank(); d-- > 0;) {
    const int from_end = shape.rank() - d;
    if (from_end == 1) {
      axes[d] = shape[d] == 1 && of_key.Back(1) != 1 ? "0" : "key";
    } else if (from_end == 2) {
      axes[d] = shape[d] == 1 && of_query.Back(1) != 1 ? "0" : "query";
    } else {
      const std::size_t q_dim = q.size() - from_end;
      const std::string product = GroupScope::Product(behind);
      std::string axis = "head";
      if (product != "1") axis += " / " + GroupScope::Parenthesized(product);
      if (q_dim > 0) axis += " % " + GroupScope::Parenthesized(q[q_dim]);
      axes[d] = shape[d] == 1 && of_query[static_cast<int>(q_dim)] != 1 ? "0" : "(" + axis + ")";
      behind.insert(behind.begin(), q[q_dim]);
    }
  }
  return {axes, scope->Sizes(mask), ""};
}

AttentionSpec SpecOf(GroupScope* scope) {
  const Node& node = scope->head();
  const OperatorGraph& graph = scope->graph();
  const std::vector<ValueId> operands(graph.operands(node).begin(), graph.operands(node).end());
  const std::vector<std::string> q = scope->Sizes(operands[0]), k = scope->Sizes(operands[1]),
                                 v = scope->Sizes(operands[2]);
  const std::size_t rank = q.size();
  const auto read = [&](int operand, const std::string& place) {
    return ToComputeType(scope->TypeOf(operands[operand]).dtype,
                         scope->TensorName(operands[operand]) + '[' + place + ']');
  };
  const auto shape = [&](int operand) -> const Shape& {
    return scope->TypeOf(operands[operand]).shape;
  };
  AttentionSpec spec;
  spec.queries = scope->AddSize("queries", q[rank - 2]);
  spec.keys = scope->AddSize("keys", k[rank - 2]);
  spec.depth = scope->AddSize("head_dim", q[rank - 1]);
  spec.width = scope->AddSize("value_dim", v[rank - 1]);
  std::int64_t heads = 1;
  for (int d = 0; d + 2 < shape(0).rank(); ++d) heads *= shape(0)[d];
  spec.heads.Add("head", scope->AddSize("heads", GroupScope::Product({q.begin(), q.end() - 2})),
                 heads);
  spec.query_count = shape(0).Back(1);
  spec.key_count = shape(1).Back(1);
  spec.depth_count = shape(0).Back(0);
  spec.width_count = shape(2).Back(0);
  spec.q = read(0, "(head * " + spec.queries + " + query) * " + spec.depth + " + d");
  spec.k = read(1, "(head * " + spec.keys + " + key) * " + spec.depth + " + d");
  spec.v = read(2, "(head * " + spec.keys + " + key) * " + spec.width + " + d");
  const Attribute& given = AttributeOf(graph, node, "scale");
  spec.scale = given.is_none() ? "rsqrtf(static_cast<float>(" + spec.depth + "))"
                               : scope->NumberFromSizes(node, "scale")
                                     .value_or(Literal(given.number(), DType::kFloat32));
  spec.causal = AttributeOf(graph, node, "is_causal").flag();
  if (spec.causal) spec.mask = "if (key > query) score = -INFINITY;\n";
  spec.may_hide_all_keys = operands.size() > 3 && operands[3] != kAbsent;
  if (spec.may_hide_all_keys) {
    const ElementWriter writer(scope);
    const std::string mask =
        read(3, writer.Offset(operands[3], MaskAt(scope, operands[3], operands)));
    spec.mask = scope->TypeOf(operands[3]).dtype == DType::kBool
                    ? "if (!" + mask + ") score = -INFINITY;\n"
                    : "score += " + mask + ";\n";
  }
  return spec;
}

// The statements that store `result` at head, query and d.
std::string StoreText(GroupScope* scope, const AttentionSpec& spec) {
  return FillHoles("const @index@ at = (head * @queries@ + query) * @width@ + d;\n@store@\n",
                   {{"index", scope->index()},
                    {"queries", spec.queries},
                    {"width", spec.width},
                    {"store", StoreOutputs(scope, "at", "result")}});
}

// The fused kernel: scores in registers, keys and values in shared memory.
GroupCode WriteTiled(GroupScope* scope) {
  const AttentionSpec spec = SpecOf(scope);
  const AttentionTile tile = AttentionTileFor(spec);
  const std::string name = scope->function() + "_kernel";
  const WrittenKernel kernel = WriteKernel(
      *scope, name,
      "Computes " + OperatorsInWords(scope->graph(), scope->group()) + ": a block takes " +
          std::to_string(tile.queries) + " queries of one head through the keys in tiles of " +
          std::to_string(tile.keys) + ", the softmax kept up to date (online).",
      TiledAttentionBody(*scope, spec, tile, StoreText(scope, spec)), {},
      AttentionLaunchBounds(tile));
  GroupCode code;
  code.definitions = {kernel.definition};
  code.after_outputs = "const dim3 blocks(" + AttentionGrid(spec, tile) + ");\n" +
                       WriteLaunch(*scope, name, kernel, "blocks", std::to_string(tile.threads()));
  code.plan.kernels = {name};
  code.plan.index_type = scope->index();
  code.plan.threads = tile.threads();
  AttentionSpec named = spec;
  named.queries = "queries";
  named.width = "value_dim";
  named.heads = {};
  named.heads.Add("head", "heads", spec.heads.count);
  code.plan.grid = '(' + AttentionGrid(named, tile) + ')';
  code.plan.shared_bytes = tile.shared_bytes();
  code.plan.mapping = AttentionMappingOf(tile);
  AddAttentionReasons(spec, tile, &code.plan.reasons);
  return code;
}

// Computes and stores all scores first, as in the definition.
GroupCode WriteThreePasses(GroupScope* scope) {
  const AttentionSpec spec = SpecOf(scope);
  const std::string scores = scope->function() + "_scores_kernel",
                    sums = scope->function() + "_sums_kernel";
  const std::string words = OperatorsInWords(scope->graph(), scope->group());
  const std::string pair_index = spec.ScoreIndexType(*scope);
  const WrittenKernel first = WriteKernel(
      *scope, scores, "First half of " + words + ": the score of every query with every key.",
      ScoreBody(*scope, spec),
      {{"float* __restrict__", "scores", "scores.data_ptr<float>()"},
       {pair_index, "pairs", "pairs"}});
  const WrittenKernel second =
      WriteKernel(*scope, sums,
                  "Second half of " + words +
                      ": one block per query takes the softmax of its scores and adds the values "
                      "up.",
                  SoftmaxAndSumBody(*scope, spec, StoreText(scope, spec)),
                  {{"float*", "scores", "scores.data_ptr<float>()"}});
  GroupCode code;
  code.definitions = {first.definition, second.definition};
  code.after_outputs =
      FillHoles(R"(
const @index@ pairs = @cast@@heads@ * @queries@ * @keys@;
auto scores = torch::empty({pairs}, @out@.options().dtype(torch::kFloat32));
const int threads = 256;
)",
                {{"index", pair_index},
                 {"cast", pair_index == scope->index() ? "" : "int64_t{1} * "},
                 {"heads", GroupScope::Parenthesized(spec.HeadCount())},
                 {"queries", spec.queries},
                 {"keys", spec.keys},
                 {"out", scope->TensorName(scope->group().outputs[0])}}) +
      WriteLaunch(*scope, scores, first, "(pairs + threads - 1) / threads", "threads") +
      WriteLaunch(*scope, sums, second, GroupScope::Product({spec.HeadCount(), spec.queries}),
                  std::to_string(kSoftmaxThreads));
  code.plan.index_type = scope->index();
  code.plan.threads = kSoftmaxThreads;
  code.plan.kernels = {scores, sums};
  code.plan.grid = "(heads * queries * keys + 255) / 256, then heads * queries";
  code.plan.shared_bytes = 512;
  code.plan.mapping =
      "one thread per pair of query and key writes its score; then one block per query takes the "
      "softmax of a row of scores, and thread t adds up the elements t, t + 128, … of the result";
  code.plan.reasons.push_back({"scores in memory",
                               "this follows the definition step by step and is easy to check, "
                               "but heads * queries * keys numbers are written and read three "
                               "times"});
  return code;
}

}  // namespace

void AddAttentionStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"tiled_attention", "tiles of queries meet tiles of keys, online", IsAttention, WriteTiled});
  strategies->push_back(
      {"unfused_attention", "the definition in three passes", IsAttention, WriteThreePasses});
}

}  // namespace kernelmill
