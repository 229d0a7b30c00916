// Attention in one kernel: a block computes the results of a tile of queries of one head and passes
// over tiles of keys, its scores in registers and the softmax kept up to date (Milakov and Gimelshein,
// 2018; Dao et al., FlashAttention, 2022).
#pragma once

#include <string>
#include <vector>

#include "generators/lowering/attention/attention_spec.h"
#include "generators/lowering/kernel_plan.h"

namespace kernelmill {

struct AttentionTile {
  int queries, keys, columns;  // Of a block: columns are elements of a value.
  int lanes;                   // Neighbouring threads that share queries.
  int thread_queries;          // Of one thread, each with keys / lanes keys and columns / lanes sums.

  constexpr int threads() const { return queries / thread_queries * lanes; }
  // Elements of queries and keys in shared memory at once: a warp reads so many side by side.
  static constexpr int kDepth = 32;
  // Four floats more: keys of neighbouring threads then lie in different banks.
  static constexpr int kPitch = kDepth + 4;
  // Values in shared memory at once; they lie where queries and keys have been.
  constexpr int value_keys() const {
    const int fit = 4096 / columns;
    return keys < fit ? keys : fit;
  }
  constexpr int staged_floats() const {
    const int scored = (queries + keys) * kPitch, summed = value_keys() * columns;
    return scored > summed ? scored : summed;
  }
  // Of the weights: lanes of different queries write to different banks.
  constexpr int weight_pitch() const { return keys + lanes; }
  constexpr int shared_bytes() const {
    return 4 * (staged_floats() + queries * weight_pitch());
  }
};

// What fits the task's sizes: as many queries a block as leave enough blocks to fill a device.
AttentionTile AttentionTileFor(const AttentionSpec& spec);
// " __launch_bounds__(128, 4)"
std::string AttentionLaunchBounds(const AttentionTile& tile);
// The blocks along x and y.
std::string AttentionGrid(const AttentionSpec& spec, const AttentionTile& tile);
// `store`: what becomes of `result` at head, query, d.
std::string TiledAttentionBody(const GroupScope& scope, const AttentionSpec& spec,
                               const AttentionTile& tile, const std::string& store);
// Which thread computes what.
std::string MappingOf(const AttentionTile& tile);
void AddReasons(const AttentionSpec& spec, const AttentionTile& tile,
                std::vector<KernelReason>* reasons);

}  // namespace kernelmill
