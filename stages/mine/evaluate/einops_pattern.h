// Parses the patterns of einops ("b (h w) c -> b c h w") and the subscripts of einsum, for the
// evaluator (evaluator.h), which infers shapes from them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// One side of a pattern: each dimension is a group of axis names; "1" is an empty group, "..." is a
// group of its own.
struct EinopsSide {
  std::vector<std::vector<std::string>> groups;
  // The index of the group that is "..."; -1 when there is none.
  int ellipsis = -1;
};

struct EinopsPattern {
  EinopsSide left;
  EinopsSide right;

  static std::optional<EinopsPattern> Parse(std::string_view text);
};

// "bhid,bhjd->bhij" (or einops' "b h i d, b h j d -> b h i j") as operands and result. Parse()
// returns nothing for a text without an arrow.
struct EinsumPattern {
  std::vector<EinopsSide> operands;
  EinopsSide result;

  static std::optional<EinsumPattern> Parse(std::string_view text);
};

}  // namespace kernelmill
