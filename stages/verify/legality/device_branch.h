// Branches of host code that only tensors on the CPU take: no kernel answer is judged by them.
#pragma once

#include <cstddef>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

struct TextRange {
  std::size_t first, last;  // Bytes; one past the last.

  bool Holds(const SyntaxNode& node) const { return first <= node.First() && node.Last() <= last; }
};

// In a C++ text: what `if (!x.is_cuda()) …` guards, or stands in the else of `if (x.is_cuda())`.
std::vector<TextRange> CpuBranches(const SyntaxTree& tree);

}  // namespace kernelmill
