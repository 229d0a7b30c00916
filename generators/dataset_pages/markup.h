// Escapes untrusted names for Markdown, YAML, HTML and SVG. Escaped text stays on one line and
// cannot end a cell, tag or value.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// For HTML and SVG: for text and for attribute values in double quotes.
std::string HtmlText(std::string_view text);
// For Markdown paragraphs and table cells: the result contains no markup, HTML or formula.
std::string MarkdownText(std::string_view text);
// A YAML scalar in double quotes.
std::string YamlText(std::string_view text);

}  // namespace kernelmill
