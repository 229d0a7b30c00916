// The symbolic shapes of a task in words: names for symbols, shapes, and what the sizes must obey.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "corpora/records/symbolic_shapes.h"
#include "corpora/records/task.h"
#include "generators/wording/voice.h"

namespace kernelmill {

// Whether a size is a sum or a difference.
bool HasSums(const SymbolicShape& shape);

class SymbolicWording {
 public:
  // Symbols get the letters that people use: B for a batch, N for tokens, C, H and W for an image.
  SymbolicWording(const Task& task, const SymbolicShapes& shapes);

  // " = (B, H*W, 8)"; empty when the shape holds no symbol or shapes were not followed.
  std::string Equals(const SymbolicShape& shape) const;
  // "(B=2, H*W=64, 8)".
  std::string Merged(const SymbolicShape& shape, const std::vector<std::int64_t>& sizes) const;
  // "B = 2, N = 8; `x`: (B, N); N % 4 = 0", in no language; empty as Preamble() is.
  std::string OpenSizes() const;
  // "`x`: (B=2, N=8); N % 4 = 0": the same in fewer words, where there are.
  std::string OpenShapes() const;
  // Which sizes are open, and what the module demands of them; empty when not followed, or when
  // nothing is open.
  std::string Preamble(Voice* voice) const;

 private:
  std::string ShapeText(const SymbolicShape& shape) const;

  const Task& task_;
  const SymbolicShapes& shapes_;
  std::map<std::string, std::string, std::less<>> names_;  // "s0" -> "B".
};

}  // namespace kernelmill
