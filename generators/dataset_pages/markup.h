// Names and numbers inside Markdown, YAML, HTML and SVG. Whatever a repository calls its things,
// they come out as text on one line and end no cell, tag, value or line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelmill {

// For HTML and SVG, in text and in attribute values in double quotes.
std::string HtmlText(std::string_view text);
// For Markdown paragraphs and table cells, where it is never markup, HTML or a formula.
std::string MarkdownText(std::string_view text);
// A YAML scalar in double quotes.
std::string YamlText(std::string_view text);

// "1,234,567"
std::string Grouped(std::int64_t number);
// "1 file", "1,234 files".
std::string Counted(std::int64_t number, std::string_view what);
// Of a power of two or more: "512", "4Ki", "1.5Mi", three digits at most.
std::string Binary(std::int64_t number);
// "12.3 %" of `whole`, "–" when that is 0.
std::string Percent(std::int64_t part, std::int64_t whole);

}  // namespace kernelmill
