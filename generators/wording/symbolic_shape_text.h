// SymbolicShapeText: the symbolic shapes of a task as text. It names the symbols and writes shapes
// and the constraints on sizes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "corpora/records/symbolic_shapes.h"
#include "corpora/records/task.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {

// Whether a size of the shape is a sum or a difference.
bool HasSums(const SymbolicShape& shape);

class SymbolicShapeText {
 public:
  // Names each symbol by the usual letter of its dimension: B for a batch, N for tokens, C, H and W
  // for an image. `task` and `shapes` must outlive this object.
  SymbolicShapeText(const Task& task, const SymbolicShapes& shapes);

  // " = (B, H*W, 8)"; empty when the shape contains no symbol.
  std::string EqualsSuffix(const SymbolicShape& shape) const;
  // "(B=2, H*W=64, 8)".
  std::string WithValues(const SymbolicShape& shape, const std::vector<std::int64_t>& sizes) const;
  // "B = 2, N = 8; `x`: (B, N); N % 4 = 0", without words of any language. Empty when no size is
  // symbolic.
  std::string SymbolsAndInputs() const;
  // The same in a shorter form where no size is a sum: "`x`: (B=2, N=8); N % 4 = 0".
  std::string InputsWithValues() const;
  // Sentences that name the symbolic sizes and the constraints on them. Empty when no size is
  // symbolic.
  std::string Preamble() const;

 private:
  std::string ShapeText(const SymbolicShape& shape) const;

  const Task& task_;
  const SymbolicShapes& shapes_;
  std::map<std::string, std::string, std::less<>> names_;  // "s0" -> "B".
};

}  // namespace kernelmill
