// The form that all attention operators are lowered from: how elements of queries, keys and values
// are indexed, and how scores are masked. The unfused kernels, which write scores to memory, are
// here; attention_tile.h has the fused kernel, which keeps scores in registers.
#pragma once

#include <cstdint>
#include <string>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

// Names of sizes, and expressions in terms of `head`, `query`, `key`, `d` and the axes of `heads`.
struct AttentionSpec {
  IndexAxes heads;  // What `head` counts.
  std::string queries, keys;
  std::string depth, width;  // Elements of a query or key, and of a value.
  // At the task's sizes.
  std::int64_t query_count = 1, key_count = 1, depth_count = 1, width_count = 1;
  std::string q, k, v;  // Values in float.
  std::string scale;    // A float.
  std::string mask;     // Statements that change `score`.
  bool causal = false;  // Whether the mask hides every key behind the query's own place.
  // Whether the mask can hide every key from a query, which then gets zeros.
  bool hides = false;

  std::string Heads() const { return heads.Count(); }
  // The type of a position in the matrix of all scores.
  std::string PairIndex(const GroupScope& scope) const;
};

// What the texts of its kernels are filled in with. `top`: the largest score of a query there.
Holes AttentionHoles(const GroupScope& scope, const AttentionSpec& spec,
                     const std::string& top = "top");

// Thread i computes score i of `pairs`, of type PairIndex(), into `scores`.
std::string ScoreBody(const GroupScope& scope, const AttentionSpec& spec);
// A block of kSoftmaxThreads turns the scores of one query into weights.
std::string SoftmaxBody(const GroupScope& scope, const AttentionSpec& spec);
// The same, and then the values' sums by them; `store`: what becomes of `result` at head, query, d.
std::string SoftmaxAndSumBody(const GroupScope& scope, const AttentionSpec& spec,
                              const std::string& store);
constexpr int kSoftmaxThreads = 128;

// The two products of attention, a group a head: queries with keys, weights with values.
ContractionSpec ScoreProduct(const AttentionSpec& spec);
ContractionSpec ValueProduct(const AttentionSpec& spec);

}  // namespace kernelmill
