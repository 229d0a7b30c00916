#include "generators/lowering/attention/attention_tile.h"

#include "generators/lowering/contractions/contraction_tile.h"

namespace kernelmill {
namespace {

// The number of blocks that keeps a large device busy: two on each of about 130 multiprocessors.
constexpr std::int64_t kBlocksToFill = 264;

std::int64_t Parts(std::int64_t size, int part) { return (size + part - 1) / part; }

// The relative time on a full device, as waves of blocks times the time of a block. A block's work
// for keys and values does not depend on its number of queries; it takes about 0.6 of the time of
// 16 queries.
double CostOf(const AttentionSpec& spec, const AttentionTile& tile) {
  const std::int64_t blocks = spec.heads.count * Parts(spec.query_count, tile.queries) *
                              Parts(spec.width_count, tile.columns);
  return static_cast<double>(Parts(blocks, kBlocksToFill)) * (tile.thread_queries + 0.6);
}

std::string Text(int number) { return std::to_string(number); }

}  // namespace

AttentionTile AttentionTileFor(const AttentionSpec& spec) {
  AttentionTile best{};
  for (const int thread_queries : {4, 2, 1}) {
    AttentionTile tile{.queries = 16 * thread_queries, .thread_queries = thread_queries};
    tile.columns = spec.width_count <= 32    ? 32
                   : spec.width_count <= 64  ? 64
                   : spec.width_count <= 128 ? 128
                                             : 256;
    // With 16 lanes, because with 8 the sums would need more registers than there are.
    tile.lanes = tile.columns <= 64 ? 8 : 16;
    tile.keys = spec.key_count <= 16 ? 16 : spec.key_count <= 32 ? 32 : 64;
    if (best.queries == 0 || CostOf(spec, tile) < CostOf(spec, best)) best = tile;
  }
  return best;
}

std::string AttentionLaunchBounds(const AttentionTile& tile) {
  // Allows 128 registers per thread: a multiprocessor has registers for 512 such threads.
  return " __launch_bounds__(" + Text(tile.threads()) + ", " + Text(512 / tile.threads()) + ")";
}

std::string AttentionGrid(const AttentionSpec& spec, const AttentionTile& tile) {
  const std::string tiles = RoundedUpQuotient(spec.queries, tile.queries);
  const std::string heads = spec.HeadCount();
  return (heads == "1" ? tiles : heads + " * (" + tiles + ")") + ", " +
         RoundedUpQuotient(spec.width, tile.columns);
}

std::string TiledAttentionBody(const GroupScope& scope, const AttentionSpec& spec,
                               const AttentionTile& tile, const std::string& store) {
  const int threads = tile.threads(), depth = AttentionTile::kDepth;
  const int value_keys = tile.value_keys();
  const bool pieces = value_keys < tile.keys;
  Holes holes = AttentionHoles(scope, spec, "top[r]");
  holes.merge(Holes{
      {"axes", spec.heads.Decoded(scope, "head",
                                  spec.q + ' ' + spec.k + ' ' + spec.v + ' ' + spec.mask + store)},
      {"tiles", RoundedUpQuotient(spec.queries, tile.queries)},
      {"Q", Text(tile.queries)},
      {"K", Text(tile.keys)},
      {"C", Text(tile.columns)},
      {"D", Text(depth)},
      {"lanes", Text(tile.lanes)},
      {"half", Text(tile.lanes / 2)},
      {"rows", Text(threads / tile.lanes)},
      {"pitch", Text(AttentionTile::kPitch)},
      {"weight_pitch", Text(tile.weight_pitch())},
      {"staged", Text(tile.staged_floats())},
      {"k_begin", Text(tile.queries * AttentionTile::kPitch)},
      {"warps", Text(threads / depth)},
      {"q_each", Text(tile.queries * depth / threads)},
      {"k_each", Text(tile.keys * depth / threads)},
      {"v_rows", Text(threads / tile.columns)},
      {"v_each", Text(value_keys * tile.columns / threads)},
      {"V", Text(value_keys)},
      // The number of loads in flight. Each takes a register for its value and two for its address.
      {"at_once", tile.columns / tile.lanes * tile.thread_queries < 64 ? "8" : "4"},
      {"tq", Text(tile.thread_queries)},
      {"tk", Text(tile.keys / tile.lanes)},
      {"fours", Text(tile.columns / tile.lanes / 4)},
      {"tc", Text(tile.columns / tile.lanes)},
      {"four_lanes", Text(4 * tile.lanes)},
      {"plus_piece", pieces ? " + piece" : ""},
      {"key_end", spec.causal ? "key_end" : spec.keys},
      {"store", store}});
  holes["causal"] = spec.causal ? FillHoles(R"(
// Tiles of keys that all these queries do not see are left out.
const @index@ key_end = query0 + @Q@ < @keys@ ? query0 + @Q@ : @keys@;
)",
                                            holes)
                                : "";
  holes["mask"] = spec.mask.empty()
                      ? FillHoles("if (key >= @keys@) score = -INFINITY;\n", holes)
                      : FillHoles(
                            "if (key >= @keys@ || query >= @queries@) {\n  score = -INFINITY;\n"
                            "} else {\n  @mask@\n}\n",
                            {{"keys", spec.keys}, {"queries", spec.queries}, {"mask", spec.mask}});
  std::string sums = FillHoles(R"(
__syncthreads();
{
  const @index@ d = col0 + threadIdx.x % @C@;
  #pragma unroll @at_once@
  for (int j = 0; j < @v_each@; ++j) {
    const int row = threadIdx.x / @C@ + j * @v_rows@;
    const @index@ key = key0@plus_piece@ + row;
    v_tile[row * @C@ + threadIdx.x % @C@] = key < @keys@ && d < @width@ ? @v@ : 0.0f;
  }
}
__syncthreads();
for (int step = 0; step < @V@; step += 4) {
  float weight[@tq@][4];
  #pragma unroll
  for (int r = 0; r < @tq@; ++r) {
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
      weight[r][e] = weights[(ty + r * @rows@) * @weight_pitch@@plus_piece@ + step + e];
    }
  }
  #pragma unroll
  for (int e = 0; e < 4; ++e) {
    #pragma unroll
    for (int c = 0; c < @tc@; ++c) {
      const float value = v_tile[(step + e) * @C@ + c / 4 * @four_lanes@ + tx * 4 + c % 4];
      #pragma unroll
      for (int r = 0; r < @tq@; ++r) sums[r][c] += weight[r][e] * value;
    }
  }
}
)",
                               holes);
  if (pieces) {
    holes["sum_of_piece"] = sums;
    sums = FillHoles(R"(
for (int piece = 0; piece < @K@; piece += @V@) {
  @sum_of_piece@
}
)",
                     holes);
  }
  holes["sum"] = sums;
  return FillHoles(R"(
// Elements of queries and keys while scores are computed, then those of values.
__shared__ __align__(16) float staged[@staged@];
__shared__ __align__(16) float weights[@Q@ * @weight_pitch@];
float* const q_tile = staged;
float* const k_tile = staged + @k_begin@;
float* const v_tile = staged;
const @index@ tiles = @tiles@;
const @index@ head = blockIdx.x / tiles, query0 = blockIdx.x % tiles * @Q@;
const @index@ col0 = blockIdx.y * @C@;
@axes@
// @lanes@ neighbouring threads share the queries ty, ty + @rows@, … of the tile.
const int ty = threadIdx.x / @lanes@, tx = threadIdx.x % @lanes@;
const float scale = @scale@;
@causal@
float top[@tq@], total[@tq@] = {}, sums[@tq@][@tc@] = {};
#pragma unroll
for (int r = 0; r < @tq@; ++r) top[r] = -INFINITY;
for (@index@ key0 = 0; key0 < @key_end@; key0 += @K@) {
  float scores[@tq@][@tk@] = {};
  for (@index@ d0 = 0; d0 < @depth@; d0 += @D@) {
    // What lay here has been read by all.
    __syncthreads();
    {
      const @index@ d = d0 + threadIdx.x % @D@;
      #pragma unroll @at_once@
      for (int j = 0; j < @q_each@; ++j) {
        const int row = threadIdx.x / @D@ + j * @warps@;
        const @index@ query = query0 + row;
        q_tile[row * @pitch@ + threadIdx.x % @D@] = query < @queries@ && d < @depth@ ? @q@ : 0.0f;
      }
      #pragma unroll @at_once@
      for (int j = 0; j < @k_each@; ++j) {
        const int row = threadIdx.x / @D@ + j * @warps@;
        const @index@ key = key0 + row;
        k_tile[row * @pitch@ + threadIdx.x % @D@] = key < @keys@ && d < @depth@ ? @k@ : 0.0f;
      }
    }
    __syncthreads();
    // Four elements a step; those behind the last are zeros.
    const int count = @depth@ - d0 < @D@ ? @depth@ - d0 : @D@;
    for (int step = 0; step < count; step += 4) {
      float of_query[@tq@][4];
      #pragma unroll
      for (int r = 0; r < @tq@; ++r) {
        #pragma unroll
        for (int e = 0; e < 4; ++e) of_query[r][e] = q_tile[(ty + r * @rows@) * @pitch@ + step + e];
      }
      #pragma unroll
      for (int c = 0; c < @tk@; ++c) {
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float of_key = k_tile[(tx + c * @lanes@) * @pitch@ + step + e];
          #pragma unroll
          for (int r = 0; r < @tq@; ++r) scores[r][c] += of_query[r][e] * of_key;
        }
      }
    }
  }
  #pragma unroll
  for (int r = 0; r < @tq@; ++r) {
    const @index@ query = query0 + ty + r * @rows@;
    float best = top[r];
    #pragma unroll
    for (int c = 0; c < @tk@; ++c) {
      const @index@ key = key0 + tx + c * @lanes@;
      float score = scores[r][c] * scale;
      @mask@
      scores[r][c] = score;
      best = fmaxf(best, score);
    }
    for (int lane = @half@; lane > 0; lane /= 2) {
      best = fmaxf(best, __shfl_xor_sync(0xffffffff, best, lane));
    }
    // While every key is hidden there is no maximum to take off.
    const float base = best == -INFINITY ? 0.0f : best;
    // What was summed so far belongs to the old maximum.
    const float kept = expf(top[r] - base);
    top[r] = best;
    total[r] *= kept;
    #pragma unroll
    for (int c = 0; c < @tc@; ++c) sums[r][c] *= kept;
    #pragma unroll
    for (int c = 0; c < @tk@; ++c) {
      const float weight = expf(scores[r][c] - base);
      total[r] += weight;
      weights[(ty + r * @rows@) * @weight_pitch@ + tx + c * @lanes@] = weight;
    }
  }
  @sum@
}
// Each lane has added up the weights of its own keys.
#pragma unroll
for (int r = 0; r < @tq@; ++r) {
  for (int lane = @half@; lane > 0; lane /= 2) {
    total[r] += __shfl_xor_sync(0xffffffff, total[r], lane);
  }
}
#pragma unroll
for (int r = 0; r < @tq@; ++r) {
  const @index@ query = query0 + ty + r * @rows@;
  if (query >= @queries@) continue;
  #pragma unroll
  for (int c = 0; c < @tc@; ++c) {
    const @index@ d = col0 + c / 4 * @four_lanes@ + tx * 4 + c % 4;
    if (d >= @width@) continue;
    const float result = @zero@sums[r][c] / total[r];
    @store@
  }
}
)",
                   holes);
}

std::string AttentionMappingOf(const AttentionTile& tile) {
  return "a block computes the results of " + Text(tile.queries) +
         " queries of one head and meets the keys in tiles of " + Text(tile.keys) + "; a thread computes " +
         Text(tile.thread_queries) + " x " + Text(tile.keys / tile.lanes) +
         " scores of a tile, then adds to " + Text(tile.thread_queries) + " x " +
         Text(tile.columns / tile.lanes) + " elements of the result";
}

void AddAttentionReasons(const AttentionSpec& spec, const AttentionTile& tile,
                         std::vector<KernelReason>* reasons) {
  reasons->push_back({"an online softmax",
                      "scores never leave the block: memory grows with the keys of a tile, not "
                      "with queries times keys"});
  reasons->push_back({"tiles of queries",
                      "each element of a key or value is read from memory once for " +
                          Text(tile.queries) + " queries"});
  reasons->push_back({"scores in registers",
                      Text(tile.thread_queries + tile.keys / tile.lanes) +
                          " reads of shared memory serve " +
                          Text(tile.thread_queries * tile.keys / tile.lanes) +
                          " multiply-adds"});
  if (spec.causal) {
    reasons->push_back({"tiles that no query sees are left out",
                        "behind the diagonal every key is hidden, almost half of them"});
  }
}

}  // namespace kernelmill
