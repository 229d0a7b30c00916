// Escapes untrusted names for Markdown, YAML, HTML and SVG, and formats numbers. Escaped text stays
// on one line and cannot end a cell, tag or value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelmill {

// For HTML and SVG: for text and for attribute values in double quotes.
std::string HtmlText(std::string_view text);
// For Markdown paragraphs and table cells: the result contains no markup, HTML or formula.
std::string MarkdownText(std::string_view text);
// A YAML scalar in double quotes.
std::string YamlText(std::string_view text);

// "1,234,567"
std::string Grouped(std::int64_t number);
// "1 file", "1,234 files".
std::string Counted(std::int64_t number, std::string_view what);
// With a binary unit and at most three digits: "512", "4Ki", "1.5Mi".
std::string Binary(std::int64_t number);
// "12.3 %" of `whole`; "–" when `whole` is 0.
std::string Percent(std::int64_t part, std::int64_t whole);

}  // namespace kernelmill
