// Finds how a number in a module is derived from sizes of its tensors, by comparing the module at
// several sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kernelmill {

// What a number is at each of the sizes, the module's own first.
using SizeSamples = std::vector<std::int64_t>;

struct KnownSize {
  std::string text;  // How Python asks for it: "x.size(1)", "self.patch_size".
  SizeSamples at;
};

// The simplest expression of one, two or three of `known` that is `wanted` at all sizes: "x.size(1)
// // 4", "x.size(1) * h1.size(2)". What comes first in `known` is preferred. Python and C++ read it
// alike, but for "//", as all of it is positive. Nothing where there is none.
std::optional<std::string> SizeText(std::span<const KnownSize> known, const SizeSamples& wanted);

}  // namespace kernelmill
