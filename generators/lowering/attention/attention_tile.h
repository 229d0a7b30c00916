// Writes the fused attention kernel, for the strategies for attention: a block computes the results
// of a tile of queries of one head. It loops over tiles of keys, with the scores in registers and
// an online softmax (Milakov and Gimelshein, 2018; Dao et al., FlashAttention, 2022).
#pragma once

#include <string>
#include <vector>

#include "generators/lowering/attention/attention_spec.h"
#include "generators/lowering/call_plan.h"

namespace kernelmill {

struct AttentionTile {
  int queries, keys, columns;  // Per block; columns are elements of a value.
  int lanes;                   // The number of adjacent threads that share queries.
  int thread_queries;          // Per thread, with keys / lanes keys and columns / lanes sums each.

  constexpr int threads() const { return queries / thread_queries * lanes; }
  // The number of elements of each query and key in shared memory at a time.
  static constexpr int kDepth = 32;
  // Padded by four floats, so that keys of adjacent threads are in different banks.
  static constexpr int kPitch = kDepth + 4;
  // The number of values in shared memory at a time; they reuse the space of queries and keys.
  constexpr int value_keys() const {
    const int fit = 4096 / columns;
    return keys < fit ? keys : fit;
  }
  constexpr int staged_floats() const {
    const int scored = (queries + keys) * kPitch, summed = value_keys() * columns;
    return scored > summed ? scored : summed;
  }
  // The pitch of the weights: lanes of different queries write to different banks.
  constexpr int weight_pitch() const { return keys + lanes; }
  constexpr int shared_bytes() const {
    return 4 * (staged_floats() + queries * weight_pitch());
  }
};

// The tile for the task's sizes: as many queries per block as leave enough blocks to fill a device.
AttentionTile AttentionTileFor(const AttentionSpec& spec);
// " __launch_bounds__(128, 4)"
std::string AttentionLaunchBounds(const AttentionTile& tile);
// The host's expressions for the number of blocks along x and y.
std::string AttentionGrid(const AttentionSpec& spec, const AttentionTile& tile);
// The kernel's body. `store`: statements that use `result` at head, query, d.
std::string TiledAttentionBody(const GroupScope& scope, const AttentionSpec& spec,
                               const AttentionTile& tile, const std::string& store);
// One sentence: which thread computes what.
std::string AttentionMappingOf(const AttentionTile& tile);
void AddAttentionReasons(const AttentionSpec& spec, const AttentionTile& tile,
                         std::vector<KernelReason>* reasons);

}  // namespace kernelmill
