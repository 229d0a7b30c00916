// Edits of an answer's text, of which bugs consist (bug.h). The offsets of all edits refer to the
// original text; WithEdits() makes all edits at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

struct TextEdit {
  std::size_t first = 0, last = 0;  // The replaced bytes, [first, last).
  std::string text;                 // The replacement.
};

TextEdit Replaced(const SyntaxNode& node, std::string text);
TextEdit Inserted(std::size_t at, std::string text);
// Erases a statement, together with its line when nothing else is on it.
TextEdit ErasedStatement(const SyntaxNode& statement, std::string_view source);
// Erases an item of a list, together with the comma that separates it from a neighbour.
TextEdit ErasedItem(const std::vector<SyntaxNode>& items, std::size_t which);

// The edited text. Nothing when two edits overlap, or when no edit changes the text.
std::optional<std::string> WithEdits(std::string_view source, std::vector<TextEdit> edits);

}  // namespace kernelmill
