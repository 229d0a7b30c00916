// Text laid out in the columns of a terminal. Widths are those of characters, not of bytes: wide
// characters of East Asian scripts take two columns. Input is printable UTF-8 without colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelmill {

std::size_t ColumnsOf(std::string_view text);

// Prose in lines of at most `columns`, all behind `indent` spaces. An empty line separates
// paragraphs; other line breaks count as spaces. Ends with a line break unless it is empty.
std::string Paragraphs(std::string_view text, std::size_t columns, std::size_t indent = 0);

// Breaks only the lines that are longer than `columns`, at a space where there is one. What
// continues a line stands behind the same indentation, and the bars "│" that begin it.
std::string WithShortLines(std::string_view text, std::size_t columns);

}  // namespace kernelmill
