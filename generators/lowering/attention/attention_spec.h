// AttentionSpec: the form that all attention operators are brought into before kernels are written:
// how elements of queries, keys and values are indexed, and how scores are masked. The strategies
// for attention (strategies/attention.cc, strategies/multi_head.cc) fill it in. The bodies of the
// unfused kernels, which write scores to memory, are here; attention_tile.h has the fused kernel,
// which keeps scores in registers.
#pragma once

#include <cstdint>
#include <string>

#include "generators/lowering/contractions/contraction_spec.h"

namespace kernelmill {

// The names of sizes, and expressions over `head`, `query`, `key`, `d` and the axes of `heads`.
struct AttentionSpec {
  IndexAxes heads;  // The axes that `head` counts.
  std::string queries, keys;
  std::string depth, width;  // The number of elements of a query or key, and of a value.
  // At the task's sizes.
  std::int64_t query_count = 1, key_count = 1, depth_count = 1, width_count = 1;
  std::string q, k, v;  // Expressions of elements, converted to float.
  std::string scale;    // A float expression.
  std::string mask;     // Statements that change `score`.
  bool causal = false;  // The mask hides every key after the query's position.
  // The mask can hide all keys from a query, whose result is then zero.
  bool may_hide_all_keys = false;

  std::string HeadCount() const { return heads.Count(); }
  // The type of an index into the matrix of all scores.
  std::string ScoreIndexType(const GroupScope& scope) const;
};

// The values of the holes in its kernels' templates. `top`: the name of a query's largest score.
Holes AttentionHoles(const GroupScope& scope, const AttentionSpec& spec,
                     const std::string& top = "top");

// One thread per score: thread i computes score i of `pairs`, of type ScoreIndexType(), into
// `scores`.
std::string ScoreBody(const GroupScope& scope, const AttentionSpec& spec);
// One block of kSoftmaxThreads threads per query: it turns the query's scores into weights.
std::string SoftmaxBody(const GroupScope& scope, const AttentionSpec& spec);
// Like SoftmaxBody(), followed by the weighted sum of the values. `store`: statements that use
// `result` at head, query, d.
std::string SoftmaxAndSumBody(const GroupScope& scope, const AttentionSpec& spec,
                              const std::string& store);
constexpr int kSoftmaxThreads = 128;

// The two products of attention as contractions with one group per head: queries with keys, and
// weights with values.
ContractionSpec ScoreProduct(const AttentionSpec& spec);
ContractionSpec ValueProduct(const AttentionSpec& spec);

}  // namespace kernelmill
