// Spaces between Chinese characters and Latin text, as Chinese technical writing has them:
// "把 `Model` 改写为 CUDA 核函数". Used for prompts and feedback, whose values stand directly next
// to either.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// Whether a Han character (U+4000 to U+9FFF in UTF-8) begins at `at`.
bool HanAt(std::string_view text, std::size_t at);
// Whether the text ends with one.
bool EndsInHan(std::string_view text);

// `markdown` with a space wherever a Han character touches a letter, a digit or code in backticks,
// and without a space between two Han characters. Code, in fences or in backticks, stays as it is.
std::string WithSpacesAroundLatin(std::string_view markdown);

}  // namespace kernelmill
