// Attention: the scores of a query with every key, their softmax, and the sum of values by it.
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
  // The same heads on all sides.
  for (int i = 1; i < 3; ++i) {
    if (shape(i).rank() != shape(0).rank()) return false;
    for (int d = 0; d + 2 < shape(0).rank(); ++d) {
      if (shape(i)[d] != shape(0)[d]) return false;
    }
  }
  return shape(0).rank() >= 2;
}

struct AttentionText {
  Holes holes;
  std::string mask;  // Statements that change `score`, or skip a key.

  explicit AttentionText(GroupScope* scope) {
    const Node& node = scope->head();
    const OperatorGraph& graph = scope->graph();
    const auto operands = graph.operands(node);
    const std::vector<std::string> q = scope->Sizes(operands[0]), k = scope->Sizes(operands[1]),
                                   v = scope->Sizes(operands[2]);
    const std::size_t rank = q.size();
    const auto read = [&](int operand, const std::string& place) {
      return Loaded(scope->TypeOf(operands[operand]).dtype, scope->dialect(),
                    scope->TensorName(operands[operand]) + '[' + place + ']');
    };
    const std::string queries = scope->AddSize("queries", q[rank - 2]);
    const std::string keys = scope->AddSize("keys", k[rank - 2]);
    const std::string depth = scope->AddSize("head_dim", q[rank - 1]);
    const std::string width = scope->AddSize("value_dim", v[rank - 1]);
    const std::string heads =
        scope->AddSize("heads", GroupScope::Product({q.begin(), q.end() - 2}));
    const Attribute& given = AttributeOf(graph, node, "scale");
    const std::string scale = given.is_none()
                                  ? "rsqrtf(static_cast<float>(" + depth + "))"
                                  : scope->NumberOfSizes(node, "scale")
                                        .value_or(Literal(given.number(), DType::kFloat32));
    holes = {{"index", scope->index()},
             {"queries", queries},
             {"keys", keys},
             {"depth", depth},
             {"width", width},
             {"heads", heads},
             {"scale", scale},
             {"q", read(0, "(head * " + queries + " + query) * " + depth + " + d")},
             {"k", read(1, "(head * " + keys + " + key) * " + depth + " + d")},
             {"v", read(2, "(head * " + keys + " + key) * " + width + " + d")}};
    if (AttributeOf(graph, node, "is_causal").flag()) {
      mask = "if (key > query) score = -INFINITY;\n";
    }
    if (operands.size() > 3 && operands[3] != kAbsent) {
      const Shape &shape = scope->TypeOf(operands[3]).shape,
                  &of_query = scope->TypeOf(operands[0]).shape;
      // The mask's own dimensions, from the batch on; those of size 1 are shared.
      Coordinates at;
      const std::vector<std::string> sizes = scope->Sizes(operands[3]);
      std::vector<std::string> behind;
      std::vector<std::string> axes(shape.rank());
      for (int d = shape.rank(); d-- > 0;) {
        const int from_end = shape.rank() - d;
        if (from_end == 1) {
          axes[d] = shape[d] == 1 && scope->TypeOf(operands[1]).shape.Back(1) != 1 ? "0" : "key";
        } else if (from_end == 2) {
          axes[d] = shape[d] == 1 && of_query.Back(1) != 1 ? "0" : "query";
        } else {
          const std::size_t q_dim = rank - from_end;
          const std::string product = GroupScope::Product(behind);
          std::string axis = "head";
          if (product != "1") axis += " / " + GroupScope::Factor(product);
          if (q_dim > 0) axis += " % " + GroupScope::Factor(q[q_dim]);
          axes[d] =
              shape[d] == 1 && of_query[static_cast<int>(q_dim)] != 1 ? "0" : "(" + axis + ")";
          behind.insert(behind.begin(), q[q_dim]);
        }
      }
      ElementWriter writer(scope);
      const std::string place = writer.Offset(operands[3], {axes, sizes, ""});
      mask = scope->TypeOf(operands[3]).dtype == DType::kBool
                 ? "if (!" + read(3, place) + ") score = -INFINITY;\n"
                 : "score += " + read(3, place) + ";\n";
    }
    holes["mask"] = mask;
    // A mask may hide every key from a query, which then gets zeros.
    const bool hides = operands.size() > 3 && operands[3] != kAbsent;
    holes["seen"] = hides ? "top == -INFINITY ? 0.0f : " : "";
  }
};

KernelPlan PlanOf(const GroupScope& scope, const std::string& kernel) {
  KernelPlan plan;
  plan.kernels = {kernel};
  plan.index_type = scope.index();
  plan.threads = 128;
  plan.grid = "heads * queries";
  return plan;
}

// The keys in tiles: the softmax is kept up to date while they pass.
GroupCode WriteOnline(GroupScope* scope) {
  AttentionText text(scope);
  const std::string name = scope->function() + "_kernel";
  text.holes["store"] = StoreOutputs(scope, "at", "result");
  const std::string body = Fill(R"(
__shared__ float weights[128];
__shared__ float shared_top, shared_scale;
const @index@ head = blockIdx.x / @queries@, query = blockIdx.x % @queries@;
const float scale = @scale@;
float top = -INFINITY, total = 0.0f;
// Each thread owns up to eight elements of the result.
float sums[8] = {};
for (@index@ key0 = 0; key0 < @keys@; key0 += 128) {
  // Each thread scores one key of the tile.
  const @index@ key = key0 + threadIdx.x;
  float score = -INFINITY;
  if (key < @keys@) {
    score = 0.0f;
    for (@index@ d = 0; d < @depth@; ++d) score += @q@ * @k@;
    score *= scale;
    @mask@
  }
  weights[threadIdx.x] = score;
  __syncthreads();
  if (threadIdx.x == 0) {
    float best = top;
    for (int j = 0; j < 128; ++j) best = fmaxf(best, weights[j]);
    shared_top = best;
    // What was summed so far belongs to the old maximum.
    shared_scale = top == -INFINITY ? 0.0f : expf(top - best);
  }
  __syncthreads();
  top = shared_top;
  weights[threadIdx.x] = score == -INFINITY ? 0.0f : expf(score - top);
  total *= shared_scale;
  __syncthreads();
  const int count = @keys@ - key0 < 128 ? @keys@ - key0 : 128;
  for (int j = 0; j < count; ++j) total += weights[j];
  for (int e = 0; e < 8; ++e) {
    const @index@ d = threadIdx.x + e * 128;
    if (d >= @width@) break;
    float sum = sums[e] * shared_scale;
    for (int j = 0; j < count; ++j) {
      const @index@ key = key0 + j;
      sum += weights[j] * @v@;
    }
    sums[e] = sum;
  }
  __syncthreads();
}
for (int e = 0; e < 8; ++e) {
  const @index@ d = threadIdx.x + e * 128;
  if (d >= @width@) break;
  const float result = @seen@sums[e] / total;
  const @index@ at = (head * @queries@ + query) * @width@ + d;
  {
    @store@
  }
}
)",
                                text.holes);
  const WrittenKernel kernel = WriteKernel(
      *scope, name,
      "Computes " + OperatorsInWords(scope->graph(), scope->group()) +
          ": one block a query, keys in tiles of 128, the softmax kept up to date (online).",
      body);
  GroupCode code;
  code.device = kernel.text;
  code.launch =
      Fill("TORCH_CHECK(@width@ <= 1024, \"values of more than 1024 elements\");\n", text.holes) +
      WriteLaunch(*scope, name, kernel,
                  GroupScope::Product({text.holes["heads"], text.holes["queries"]}), "128");
  code.plan = PlanOf(*scope, name);
  code.plan.shared_bytes = 130 * 4;
  code.plan.mapping =
      "block b computes the result of one query of one head; in a tile of 128 keys thread t scores "
      "key t, then adds to the elements t, t + 128, … of the result";
  code.plan.reasons.push_back({"an online softmax",
                               "scores never leave the block: memory grows with the keys of a "
                               "tile, not with queries times keys"});
  return code;
}

// All scores of a query at once, as the definition has it.
GroupCode WriteThreePasses(GroupScope* scope) {
  AttentionText text(scope);
  const std::string scores = scope->function() + "_scores_kernel",
                    sums = scope->function() + "_sums_kernel";
  Holes& holes = text.holes;
  const std::string first_body = Fill(R"(
const @index@ i = static_cast<@index@>(blockIdx.x) * blockDim.x + threadIdx.x;
if (i >= pairs) return;
const @index@ key = i % @keys@, query = i / @keys@ % @queries@, head = i / (@keys@ * @queries@);
float score = 0.0f;
for (@index@ d = 0; d < @depth@; ++d) score += @q@ * @k@;
score *= @scale@;
@mask@
scores[i] = score;
)",
                                      holes);
  holes["store"] = StoreOutputs(scope, "at", "result");
  const std::string second_body = Fill(R"(
__shared__ float scratch[128];
const @index@ head = blockIdx.x / @queries@, query = blockIdx.x % @queries@;
float* const row = scores + static_cast<@index@>(blockIdx.x) * @keys@;
float top = -INFINITY;
for (@index@ key = threadIdx.x; key < @keys@; key += 128) top = fmaxf(top, row[key]);
scratch[threadIdx.x] = top;
__syncthreads();
for (int half = 64; half > 0; half /= 2) {
  if (threadIdx.x < half) scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], scratch[threadIdx.x + half]);
  __syncthreads();
}
top = scratch[0];
__syncthreads();
float total = 0.0f;
for (@index@ key = threadIdx.x; key < @keys@; key += 128) {
  row[key] = expf(row[key] - top);
  total += row[key];
}
scratch[threadIdx.x] = total;
__syncthreads();
for (int half = 64; half > 0; half /= 2) {
  if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
  __syncthreads();
}
total = scratch[0];
for (@index@ d = threadIdx.x; d < @width@; d += 128) {
  float sum = 0.0f;
  for (@index@ key = 0; key < @keys@; ++key) sum += row[key] * @v@;
  const float result = @seen@sum / total;
  const @index@ at = (head * @queries@ + query) * @width@ + d;
  {
    @store@
  }
}
)",
                                       holes);
  const std::string words = OperatorsInWords(scope->graph(), scope->group());
  const WrittenKernel first = WriteKernel(
      *scope, scores, "First half of " + words + ": the score of every query with every key.",
      first_body,
      {{"float* __restrict__", "scores", "scores.data_ptr<float>()"},
       {scope->index(), "pairs", "pairs"}});
  const WrittenKernel second =
      WriteKernel(*scope, sums,
                  "Second half of " + words +
                      ": one block a query takes the softmax of its scores and adds the values up.",
                  second_body, {{"float*", "scores", "scores.data_ptr<float>()"}});
  GroupCode code;
  code.device = first.text + "\n" + second.text;
  const std::string out = scope->TensorName(scope->group().outputs[0]);
  holes["index64"] = "int64_t";
  code.launch = Fill(R"(
const @index@ pairs = @heads@ * @queries@ * @keys@;
auto scores = torch::empty({pairs}, @out@.options().dtype(torch::kFloat32));
const int threads = 256;
)",
                     {{"index", scope->index()},
                      {"heads", GroupScope::Factor(holes["heads"])},
                      {"queries", holes["queries"]},
                      {"keys", holes["keys"]},
                      {"out", out}}) +
                WriteLaunch(*scope, scores, first, "(pairs + threads - 1) / threads", "threads") +
                WriteLaunch(*scope, sums, second,
                            GroupScope::Product({holes["heads"], holes["queries"]}), "128");
  code.plan = PlanOf(*scope, scores);
  code.plan.kernels = {scores, sums};
  code.plan.grid = "(heads * queries * keys + 255) / 256, then heads * queries";
  code.plan.shared_bytes = 512;
  code.plan.mapping =
      "one thread a pair of query and key writes its score; then one block a query takes the "
      "softmax "
      "of a row of scores, and thread t adds up the elements t, t + 128, … of the result";
  code.plan.reasons.push_back({"scores in memory",
                               "the definition, step by step: easy to check, and heads * queries * "
                               "keys numbers are written and read three times"});
  return code;
}

}  // namespace

void AddAttentionStrategies(std::vector<Strategy>* strategies) {
  strategies->push_back(
      {"online_attention", "an online softmax over tiles of keys", IsAttention, WriteOnline});
  strategies->push_back(
      {"scores_in_memory", "the definition in three passes", IsAttention, WriteThreePasses});
}

}  // namespace kernelmill
