// Multi-head attention with its projections: several kernels, one behind the other.
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

class MultiHeadWriter {
 public:
  MultiHeadWriter(GroupScope* scope, bool tiled)
      : scope_(*scope), node_(scope->head()), tiled_(tiled) {
    const auto operands = scope_.graph().operands(node_);
    const DType dtype = scope_.TypeOf(operands[kQuery]).dtype;
    const std::vector<std::string> query = scope_.Sizes(operands[kQuery]),
                                   key = scope_.Sizes(operands[kKey]);
    bias_ = operands.size() > kInBias && operands[kInBias] != kAbsent;
    const std::int64_t heads = AttributeOf(scope_.graph(), node_, "num_heads").integer();
    const auto load = [&](const std::string& place) {
      return Loaded(dtype, scope_.dialect(), place);
    };
    const auto pointer = [&](int operand) {
      return scope_.TensorParameter(operands[operand]).argument;
    };
    const std::string torch = scope_.Scalar(dtype).torch, storage = scope_.Scalar(dtype).storage;
    const auto buffer = [&](const std::string& name) {
      const std::string data = name + ".data_ptr<" + torch + ">()";
      return torch == storage ? data : "reinterpret_cast<" + storage + "*>(" + data + ")";
    };
    const bool weights = node_.result_count > 1 && scope_.IsOutput(node_.first_result + 1);
    holes_ = {{"T", storage},
              {"name", scope_.function()},
              {"queries", query[0]},
              {"keys", key[0]},
              {"batch", query.size() == 3 ? query[1] : "1"},
              {"width", query.back()},
              {"heads", std::to_string(heads)},
              {"stream", std::string(scope_.dialect().stream)},
              {"check", std::string(scope_.dialect().check)},
              {"x_at", load("x[row * width + k]")},
              {"w_at", load("weight[col * width + k]")},
              {"b_at", load("bias[col]")},
              {"sum", Stored(dtype, scope_.dialect(), "sum")},
              {"q_at", load("q[(query * batch + n) * width + head * depth + d]")},
              {"k_at", load("k[(key * batch + n) * width + head * depth + d]")},
              {"v_at", load("v[(key * batch + n) * width + head * depth + d]")},
              {"mean", Stored(dtype, scope_.dialect(), "sum / heads")},
              {"query", pointer(kQuery)},
              {"key", pointer(kKey)},
              {"value", pointer(kValue)},
              {"in_weight", pointer(kInWeight)},
              {"out_weight", pointer(kOutWeight)},
              {"in_bias", bias_ ? pointer(kInBias) : "nullptr"},
              {"out_bias", bias_ ? pointer(kOutBias) : "nullptr"},
              {"options", scope_.TensorName(operands[kQuery]) + ".options()"},
              {"q_data", buffer("q")},
              {"k_data", buffer("k")},
              {"v_data", buffer("v")},
              {"context_data", buffer("context")},
              {"out", scope_.IsOutput(node_.first_result)
                          ? scope_.TensorParameter(node_.first_result).argument
                          : buffer("attended")}};
    attended_ = scope_.IsOutput(node_.first_result);
    weights_ = weights ? scope_.TensorParameter(node_.first_result + 1).argument : "";
  }

  GroupCode Write() {
    GroupCode code;
    code.device = (tiled_ ? TiledProjection() : Projection()) + "\n" + Scores() + "\n" + Sums();
    if (!weights_.empty()) code.device += "\n" + MeanOfHeads();
    code.launch = Launch();
    const std::string& name = holes_["name"];
    code.plan.kernels = {name + "_project_kernel", name + "_scores_kernel", name + "_sums_kernel"};
    if (!weights_.empty()) code.plan.kernels.push_back(name + "_mean_kernel");
    code.plan.index_type = "int";
    code.plan.threads = 256;
    code.plan.grid = tiled_ ? "((rows + 15) / 16, (width + 15) / 16), then (pairs + 255) / 256, "
                              "then batch * heads * queries"
                            : "(rows * width + 255) / 256, then (pairs + 255) / 256, then batch * "
                              "heads * queries";
    code.plan.shared_bytes = tiled_ ? 2 * 16 * 17 * 4 : 128 * 4;
    code.plan.mapping = std::string("queries, keys and values are projected ") +
                        (tiled_ ? "by blocks of 16 x 16 threads" : "by one thread an element") +
                        "; one thread a pair scores a query with a key; one block a query of a "
                        "head takes the softmax and adds the values up";
    code.plan.reasons.push_back({"heads are slices of the width",
                                 "head h owns the elements h * depth to h * depth + depth - 1 of "
                                 "a row: nothing is transposed"});
    if (tiled_) {
      code.plan.reasons.push_back({"projections through shared memory",
                                   "they are most of the work, and a tile serves each element that "
                                   "it loads 16 times"});
    }
    return code;
  }

 private:
  std::string Projection() {
    return Fill(R"(
// Rows of x times the transposed weight: thread i computes element i of the result.
__global__ void @name@_project_kernel(const @T@* __restrict__ x, const @T@* __restrict__ weight,
                                      const @T@* __restrict__ bias, @T@* __restrict__ result,
                                      int rows, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * width) return;
  const int row = i / width, col = i % width;
  float sum = bias == nullptr ? 0.0f : @b_at@;
  for (int k = 0; k < width; ++k) sum += @x_at@ * @w_at@;
  result[i] = @sum@;
}
)",
                holes_);
  }

  std::string TiledProjection() {
    return Fill(R"(
// Rows of x times the transposed weight: a block computes a 16 x 16 tile of the result and reads
// both factors through shared memory.
__global__ void @name@_project_kernel(const @T@* __restrict__ x, const @T@* __restrict__ weight,
                                      const @T@* __restrict__ bias, @T@* __restrict__ result,
                                      int rows, int width) {
  __shared__ float x_tile[16][17], weight_tile[16][17];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row = blockIdx.x * 16 + ty, col = blockIdx.y * 16 + tx;
  float sum = bias == nullptr || col >= width ? 0.0f : @b_at@;
  for (int k0 = 0; k0 < width; k0 += 16) {
    {
      const int k = k0 + tx;
      x_tile[ty][tx] = row < rows && k < width ? @x_at@ : 0.0f;
    }
    {
      // Neighbouring threads read along k here too.
      const int col = blockIdx.y * 16 + ty, k = k0 + tx;
      weight_tile[ty][tx] = col < width && k < width ? @w_at@ : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += x_tile[ty][k] * weight_tile[tx][k];
    __syncthreads();
  }
  if (row < rows && col < width) result[row * width + col] = @sum@;
}
)",
                holes_);
  }

  std::string Scores() {
    return Fill(R"(
// The score of every query with every key, in each head: thread i computes one.
__global__ void @name@_scores_kernel(const @T@* __restrict__ q, const @T@* __restrict__ k,
                                     float* __restrict__ scores, int batch, int heads, int queries,
                                     int keys, int width, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const int key = i % keys, query = i / keys % queries;
  const int head = i / (keys * queries) % heads, n = i / (keys * queries * heads);
  const int depth = width / heads;
  float score = 0.0f;
  for (int d = 0; d < depth; ++d) score += @q_at@ * @k_at@;
  scores[i] = score * rsqrtf(static_cast<float>(depth));
}
)",
                holes_);
  }

  std::string Sums() {
    Holes holes = holes_;
    holes["result"] = "context[(query * batch + n) * width + head * depth + d] = " + holes["sum"];
    return Fill(R"(
// One block a query of a head: the softmax of its scores, and the sum of the values by it.
__global__ void @name@_sums_kernel(float* scores, const @T@* __restrict__ v,
                                   @T@* __restrict__ context, int batch, int heads, int queries,
                                   int keys, int width) {
  __shared__ float scratch[128];
  const int query = blockIdx.x % queries, head = blockIdx.x / queries % heads;
  const int n = blockIdx.x / (queries * heads), depth = width / heads;
  float* const row = scores + blockIdx.x * keys;
  float top = -INFINITY;
  for (int key = threadIdx.x; key < keys; key += 128) top = fmaxf(top, row[key]);
  scratch[threadIdx.x] = top;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], scratch[threadIdx.x + half]);
    }
    __syncthreads();
  }
  top = scratch[0];
  __syncthreads();
  float total = 0.0f;
  for (int key = threadIdx.x; key < keys; key += 128) total += expf(row[key] - top);
  scratch[threadIdx.x] = total;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
    __syncthreads();
  }
  total = scratch[0];
  for (int key = threadIdx.x; key < keys; key += 128) row[key] = expf(row[key] - top) / total;
  __syncthreads();
  for (int d = threadIdx.x; d < depth; d += 128) {
    float sum = 0.0f;
    for (int key = 0; key < keys; ++key) sum += row[key] * @v_at@;
    @result@;
  }
}
)",
                holes);
  }

  std::string MeanOfHeads() {
    return Fill(R"(
// The weights that are returned: the mean of all heads'.
__global__ void @name@_mean_kernel(const float* __restrict__ scores, @T@* __restrict__ weights,
                                   int heads, int of_head, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int n = i / of_head, pair = i % of_head;
  float sum = 0.0f;
  for (int head = 0; head < heads; ++head) sum += scores[(n * heads + head) * of_head + pair];
  weights[i] = @mean@;
}
)",
                holes_);
  }

  // One projection; `part` counts those of the input weight, -1 is the last one.
  std::string Project(const std::string& x, const std::string& result, const std::string& rows,
                      int part) {
    Holes holes = holes_;
    const std::string offset = part > 0 ? " + " + std::to_string(part) + " * @width@" : "";
    holes["x"] = x;
    holes["result"] = result;
    holes["rows"] = rows;
    holes["weight"] =
        part < 0 ? holes["out_weight"]
                 : holes["in_weight"] + (part > 0 ? Fill(offset + " * @width@", holes_) : "");
    holes["bias"] = !bias_     ? "static_cast<const " + holes["T"] + "*>(nullptr)"
                    : part < 0 ? holes["out_bias"]
                               : holes["in_bias"] + Fill(offset, holes_);
    holes["grid"] = Fill(
        tiled_ ? "dim3((@rows@ + 15) / 16, (@width@ + 15) / 16)" : "(@rows@ * @width@ + 255) / 256",
        holes);
    return Fill(R"(
@name@_project_kernel<<<@grid@, 256, 0, stream>>>(
    @x@, @weight@,
    @bias@, @result@, @rows@, @width@);
@check@
)",
                holes);
  }

  std::string Launch() {
    std::string text = Fill(R"(
const auto stream = @stream@;
const int query_rows = @queries@ * @batch@, key_rows = @keys@ * @batch@;
auto q = torch::empty({query_rows, @width@}, @options@);
auto k = torch::empty({key_rows, @width@}, @options@);
auto v = torch::empty({key_rows, @width@}, @options@);
auto context = torch::empty({query_rows, @width@}, @options@);
)",
                            holes_);
    if (!attended_) {
      text += Fill("auto attended = torch::empty({query_rows, @width@}, @options@);\n", holes_);
    }
    text += "// The input weight holds those of queries, keys and values, one below the other.\n";
    text += Project(holes_["query"], holes_["q_data"], "query_rows", 0);
    text += Project(holes_["key"], holes_["k_data"], "key_rows", 1);
    text += Project(holes_["value"], holes_["v_data"], "key_rows", 2);
    text += Fill(R"(
const int pairs = @batch@ * @heads@ * @queries@ * @keys@;
auto scores = torch::empty({pairs}, @options@.dtype(torch::kFloat32));
@name@_scores_kernel<<<(pairs + 255) / 256, 256, 0, stream>>>(
    @q_data@, @k_data@, scores.data_ptr<float>(), @batch@, @heads@, @queries@, @keys@, @width@,
    pairs);
@check@
@name@_sums_kernel<<<@batch@ * @heads@ * @queries@, 128, 0, stream>>>(
    scores.data_ptr<float>(), @v_data@, @context_data@, @batch@, @heads@, @queries@, @keys@,
    @width@);
@check@
)",
                 holes_);
    text += Project(holes_["context_data"], holes_["out"], "query_rows", -1);
    if (weights_.empty()) return text;
    Holes holes = holes_;
    holes["weights"] = weights_;
    return text + Fill(R"(
const int of_head = @queries@ * @keys@, weight_count = @batch@ * of_head;
@name@_mean_kernel<<<(weight_count + 255) / 256, 256, 0, stream>>>(
    scores.data_ptr<float>(), @weights@, @heads@, of_head, weight_count);
@check@
)",
                       holes);
  }

  GroupScope& scope_;
  const Node& node_;
  bool tiled_, bias_ = false, attended_ = false;
  std::string weights_;  // The pointer of the second result, where somebody wants it.
  Holes holes_;
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
