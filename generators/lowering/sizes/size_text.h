// Finds expressions for numbers in a user's module that follow from sizes of its tensors, such as
// the arguments of view(), by comparing the module at several sizes. Called when the text of
// forward() is written for a captured module (captured_module_text.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kernelmill {

// The values of a number at each set of sizes, the module's own first.
using SizeSamples = std::vector<std::int64_t>;

struct KnownSize {
  std::string text;  // The Python expression: "x.size(1)", "self.patch_size".
  SizeSamples at;
};

// The simplest expression of one, two or three of `known` that equals `wanted` at all sizes:
// "x.size(1) // 4", "x.size(1) * h1.size(2)". Earlier entries of `known` are preferred. The text is
// valid in Python and, except for "//", means the same in C++, because all values are positive.
// std::nullopt when there is none.
std::optional<std::string> SizeText(std::span<const KnownSize> known, const SizeSamples& wanted);

}  // namespace kernelmill
