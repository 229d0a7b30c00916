// Fenced code blocks of Markdown: Fenced() writes one into a row or prompt, LastFenced() reads the
// last one of a text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelmill {

// A fenced block of `code` that ends with a newline. The fence is longer than any run of backticks
// in the code.
std::string Fenced(std::string_view language, std::string_view code);

// The same with the number of each line in front of it: " 9 | x = 1". For code whose lines an
// answer names.
std::string FencedWithLines(std::string_view language, std::string_view code);

// The place of a fenced block in a text, in bytes: from its first fence to behind its last one and
// the line break there. Its code begins at `code` and has `code_size` bytes.
struct FencedBlock {
  std::size_t begin = 0, end = 0;
  std::size_t code = 0, code_size = 0;
};
// The last fenced block of `markdown`; all zero without one.
FencedBlock LastFencedBlock(std::string_view markdown);

// The code of the last fenced block of `markdown`; empty without one.
std::string LastFenced(std::string_view markdown);

}  // namespace kernelmill
