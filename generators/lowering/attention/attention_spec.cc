#include "generators/lowering/attention/attention_spec.h"

#include <algorithm>

namespace kernelmill {
namespace {

// More pairs than this are counted in 64 bits. The limit leaves room for larger sizes than the
// task's.
constexpr std::int64_t kMaxIntPairs = std::int64_t{1} << 28;

}  // namespace

Holes AttentionHoles(const GroupScope& scope, const AttentionSpec& spec, const std::string& top) {
  return {{"index", scope.index()},
          {"pair_index", spec.ScoreIndexType(scope)},
          {"block",
           spec.ScoreIndexType(scope) == "int" ? "blockIdx.x" : "static_cast<int64_t>(blockIdx.x)"},
          {"queries", spec.queries},
          {"keys", spec.keys},
          {"depth", spec.depth},
          {"width", spec.width},
          {"q", spec.q},
          {"k", spec.k},
          {"v", spec.v},
          {"scale", spec.scale},
          {"mask", spec.mask},
          {"zero", spec.may_hide_all_keys ? top + " == -INFINITY ? 0.0f : " : ""}};
}

std::string AttentionSpec::ScoreIndexType(const GroupScope& scope) const {
  return heads.count * query_count > kMaxIntPairs / std::max<std::int64_t>(1, key_count)
             ? "int64_t"
             : scope.index();
}

std::string ScoreBody(const GroupScope& scope, const AttentionSpec& spec) {
  Holes holes = AttentionHoles(scope, spec);
  holes["axes"] = spec.heads.Decoded(scope, "head", spec.q + ' ' + spec.k + ' ' + spec.mask);
  return FillHoles(R"(
const @pair_index@ i = @block@ * blockDim.x + threadIdx.x;
if (i >= pairs) return;
const @index@ key = i % @keys@, query = i / @keys@ % @queries@;
const @index@ head = i / @keys@ / @queries@;
@axes@
float score = 0.0f;
for (@index@ d = 0; d < @depth@; ++d) score += @q@ * @k@;
score *= @scale@;
@mask@
scores[i] = score;
)",
                   holes);
}

std::string SoftmaxBody(const GroupScope& scope, const AttentionSpec& spec) {
  return FillHoles(R"(
__shared__ float scratch[128];
float* const row = scores + @block@ * @keys@;
float top = -INFINITY;
for (@index@ key = threadIdx.x; key < @keys@; key += 128) top = fmaxf(top, row[key]);
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
for (@index@ key = threadIdx.x; key < @keys@; key += 128) {
  const float weight = expf(row[key] - top);
  row[key] = weight;
  total += weight;
}
scratch[threadIdx.x] = total;
__syncthreads();
for (int half = 64; half > 0; half /= 2) {
  if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
  __syncthreads();
}
total = scratch[0];
for (@index@ key = threadIdx.x; key < @keys@; key += 128) row[key] /= total;
)",
                   AttentionHoles(scope, spec));
}

std::string SoftmaxAndSumBody(const GroupScope& scope, const AttentionSpec& spec,
                              const std::string& store) {
  Holes holes = AttentionHoles(scope, spec);
  holes["axes"] = spec.heads.Decoded(scope, "head", spec.v + ' ' + store);
  holes["softmax"] = SoftmaxBody(scope, spec);
  holes["store"] = store;
  return FillHoles(R"(
const @index@ head = blockIdx.x / @queries@, query = blockIdx.x % @queries@;
@axes@
@softmax@
__syncthreads();
for (@index@ d = threadIdx.x; d < @width@; d += 128) {
  float sum = 0.0f;
  for (@index@ key = 0; key < @keys@; ++key) sum += row[key] * @v@;
  const float result = @zero@sum;
  @store@
}
)",
                   holes);
}

ContractionSpec ScoreProduct(const AttentionSpec& spec) {
  ContractionSpec product;
  product.group = spec.heads;
  product.m.Add("query", spec.queries, spec.query_count);
  product.n.Add("key", spec.keys, spec.key_count);
  product.k.Add("d", spec.depth, spec.depth_count);
  product.a.value = spec.q;
  product.b.value = spec.k;
  product.type = "float";
  return product;
}

ContractionSpec ValueProduct(const AttentionSpec& spec) {
  ContractionSpec product;
  product.group = spec.heads;
  product.m.Add("query", spec.queries, spec.query_count);
  product.n.Add("d", spec.width, spec.width_count);
  product.k.Add("key", spec.keys, spec.key_count);
  product.a.value = "scores[(group * " + spec.queries + " + m) * " + spec.keys + " + k]";
  product.b.value = spec.v;
  product.b.along_k = false;
  product.type = "float";
  return product;
}

}  // namespace kernelmill
