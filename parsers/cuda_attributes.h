// Operations on the text of a CUDA source that need no syntax tree, for the other parsers of CUDA.
// BlankAttributes() overwrites attributes that the grammar does not know, such as
// __cluster_dims__(…), with spaces before a source is parsed, so that the definitions around them
// parse. The others blank a range, skip a comment or literal, find identifiers, and remove comments
// and superfluous white space.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

struct BlankedAttribute {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string_view name;  // Points into the original source.
};

struct BlankedSource {
  std::string text;  // As long as the original, with a space for every byte of an attribute.
  std::vector<BlankedAttribute> attributes;  // In source order.
};

// Line breaks within attributes stay, so that lines keep their numbers.
BlankedSource BlankAttributes(std::string_view source);

enum class Alignments {
  kAll,   // alignas(…), __align__(…) and __attribute__((…)).
  kLate,  // alignas(…) after a specifier, as in `__shared__ alignas(16) float a[4];`. NVCC takes it
          // for the variable's, and Clang allows it only before the specifiers.
};
// The text with spaces in place of alignments.
std::string WithoutAlignments(std::string_view text, Alignments which);

// Overwrites the text from `first` to `last` with spaces. Line breaks stay.
void Blank(std::string* text, std::size_t first, std::size_t last);

// The identifier that begins at `at`, or an empty text there.
std::string_view WordAt(std::string_view text, std::size_t at);

// The end of the comment, string literal or character literal that begins at `at`, or `at` itself
// if none begins there. A digit separator (1'000) does not begin a literal.
std::size_t SkipCommentOrLiteral(std::string_view text, std::size_t at);

// The text with spaces in place of comments, string literals and character literals. Its length and
// its lines are unchanged.
std::string OnlyCode(std::string_view text);

// The identifiers in a text without a syntax tree (the body of a macro), in order. Identifiers in
// literals and comments are left out, and so are those after '.', '->' and '::'.
std::vector<std::string_view> IdentifiersIn(std::string_view text);

// The text without comments, with every run of white space as one space and none at the ends.
std::string CodeOnOneLine(std::string_view text);

}  // namespace kernelmill
