// Changes to a text, by places in it as it was.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

struct TextEdit {
  std::size_t first = 0, last = 0;  // The bytes that go; `last` is one past the end.
  std::string text;                 // What comes instead.
};

TextEdit Replaced(const SyntaxNode& node, std::string text);
TextEdit Inserted(std::size_t at, std::string text);
// A statement, with its line where nothing else stands there.
TextEdit ErasedStatement(const SyntaxNode& statement, std::string_view source);
// An item of a list, with the comma that parts it from a neighbour.
TextEdit ErasedItem(const std::vector<SyntaxNode>& items, std::size_t which);

// Nothing where two edits overlap, or none changes anything.
std::optional<std::string> WithEdits(std::string_view source, std::vector<TextEdit> edits);

}  // namespace kernelmill
