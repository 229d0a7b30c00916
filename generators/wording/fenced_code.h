// Fenced code blocks of Markdown: Fenced() writes one into a row or prompt, LastFenced() reads the
// last one of a text.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// A fenced block of `code` that ends with a newline. The fence is longer than any run of backticks
// in the code.
std::string Fenced(std::string_view language, std::string_view code);

// The code of the last fenced block of `markdown`; empty without one.
std::string LastFenced(std::string_view markdown);

}  // namespace kernelmill
