// Lays out text for a terminal, for the help and the rows that `inspect` shows. Widths count
// columns, not bytes: wide characters of East Asian scripts take two columns. Input must be
// printable UTF-8 without colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelmill {

std::size_t ColumnsOf(std::string_view text);

// Wraps prose into lines of at most `columns`, indented by `indent` spaces. An empty line separates
// paragraphs; other line breaks count as spaces. The result ends with a line break unless it is
// empty.
std::string Paragraphs(std::string_view text, std::size_t columns, std::size_t indent = 0);

// Breaks only the lines that are longer than `columns`, at a space if there is one. Continuation
// lines repeat the indentation, and the bars "│" that the line starts with.
std::string WithShortLines(std::string_view text, std::size_t columns);

}  // namespace kernelmill
