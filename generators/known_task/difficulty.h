// The static difficulty of a row, from 0 to 1, computed from the facts of its task and answer
// alone. The writers of rows (generators/task_rows/) set it, and it becomes the column
// difficulty_static.
#pragma once

#include <cstdint>
#include <string_view>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/task.h"

namespace kernelmill {

// How a kernel finds the operands of a result element. Ordered by difficulty.
enum class IndexClass {
  kElement,     // At the same position.
  kRearranged,  // At a position computed from coordinates: cat, permute, broadcasting.
  kRows,        // Along a row: reductions, softmax, norms, scans.
  kWindows,     // By sums of products, by windows, or by indices that are data.
};
// The highest class among the operators that the task calls.
IndexClass IndexClassOf(const Annotation& annotation);

struct DifficultyFacts {
  std::int64_t operators = 0;  // Calls that compute something.
  std::int64_t fused = 0;      // The largest number of operators in one kernel.
  IndexClass index = IndexClass::kElement;
  std::int64_t rank = 0;        // The largest rank among inputs and outputs.
  std::int64_t dtypes = 0;      // The number of distinct dtypes other than float32.
  std::int64_t open_sizes = 0;  // The number of symbolic sizes.
};
// `answer`: the candidate that the row's answer is about, or null.
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
// where each fraction is clamped to [0, 1].
double DifficultyOf(const DifficultyFacts& facts, std::int64_t answer_tokens);

}  // namespace kernelmill
