// How hard a row is, as far as its own facts tell: the column difficulty_static.
#pragma once

#include <cstdint>
#include <string_view>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/task.h"

namespace kernelmill {

// How the elements of operands are found from that of a result.
enum class IndexClass {
  kElement,     // At the same place.
  kRearranged,  // At a place worked out from coordinates: cat, permute, broadcasting.
  kRows,        // Along a row: reductions, softmax, norms, scans.
  kWindows,     // Through sums over products, windows, or indices that are data.
};
IndexClass IndexClassOf(const Annotation& annotation);

struct DifficultyFacts {
  std::int64_t operators = 0;  // Calls that compute something.
  std::int64_t fused = 0;      // Operators of the kernel that does most of them.
  IndexClass index = IndexClass::kElement;
  std::int64_t rank = 0;        // The largest among inputs and outputs.
  std::int64_t dtypes = 0;      // Distinct ones other than float32.
  std::int64_t open_sizes = 0;  // That the kernel has to take any value of.
};
// `answer` may be null.
DifficultyFacts DifficultyFactsOf(const Task& task, const Annotation& annotation,
                                  const Candidate* answer);

// From 0 to 1, rounded to three digits: the sum of
//   0.25 log2(1 + operators) / log2(1 + 64)
//   0.15 (fused - 1) / 7
//   0.25 index / 3
//   0.05 rank / 5
//   0.05 dtypes / 2
//   0.10 open_sizes / 3
//   0.15 log2(answer_tokens / 128) / log2(32768 / 128)
// each fraction cut to [0, 1].
double DifficultyOf(const DifficultyFacts& facts, std::int64_t answer_tokens);

}  // namespace kernelmill
