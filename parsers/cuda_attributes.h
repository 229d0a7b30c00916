// Attributes that the grammar does not know, such as __cluster_dims__(…), taken out of a source so
// that the definitions around them parse.
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
  std::string text;  // As long as the original, line by line, with spaces for attributes.
  std::vector<BlankedAttribute> attributes;  // In source order.
};

BlankedSource BlankAttributes(std::string_view source);

// The end of the comment, string or character literal that begins at `at`; `at` itself when none
// does. A digit separator (1'000) is no literal.
std::size_t SkipOpaque(std::string_view text, std::size_t at);

// The identifiers in a text that no tree was made of (the body of a macro), in order; those in
// strings, characters and comments are left out, and so are those behind '.', '->' and '::'.
std::vector<std::string_view> IdentifiersIn(std::string_view text);

// The text without comments, runs of white space as one space, none at its ends.
std::string Collapsed(std::string_view text);

}  // namespace kernelmill
