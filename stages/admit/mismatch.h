// Parses the error with which a mined module failed in the worker: which size, rank or divisor was
// expected, and which one was found. ProposeRepairs() (repair.h) turns the findings into changed
// arguments with shape_repairs.h. PatternRank() counts the dimensions on the left of an einops
// pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "stages/admit/worker_reply.h"

namespace kernelmill {

// A dimension has the size `got` instead of `expected`.
struct SizeMismatch {
  std::int64_t expected = 0;
  std::int64_t got = 0;
  enum class Axis { kAny, kSecond, kLast } axis = Axis::kAny;
  bool symmetric = false;    // Two tensors disagree: either may be wrong.
  std::size_t from_end = 0;  // 1 for the last dimension; 0 when unknown.
};

// A tensor has `got` dimensions (nothing when unknown) instead of `expected`.
struct RankMismatch {
  std::size_t expected = 0;
  std::optional<std::size_t> got;
};

// A dimension of this size is not divisible as required.
struct Indivisible {
  std::int64_t size = 0;
  std::int64_t divisor = 1;
};

// All functions return the likeliest mismatch first.
std::vector<SizeMismatch> FindSizeMismatches(const Fault& fault);
std::optional<RankMismatch> FindRankMismatch(const Fault& fault);
std::vector<Indivisible> FindIndivisible(const Fault& fault);

// The number of dimensions on the left of an einops pattern; nothing when it has an ellipsis.
std::optional<std::size_t> PatternRank(std::string_view pattern);

}  // namespace kernelmill
