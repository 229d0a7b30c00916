// Finds branches of host code that run only for tensors on the CPU. Their contents do not count
// against a candidate.
#pragma once

#include <cstddef>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

struct TextRange {
  std::size_t first, last;  // Bytes; one past the last.

  bool Holds(const SyntaxNode& node) const { return first <= node.First() && node.Last() <= last; }
};

// The statements that `if (!x.is_cuda())` guards, and the else branches of `if (x.is_cuda())`.
std::vector<TextRange> CpuBranches(const SyntaxTree& tree);

}  // namespace kernelmill
