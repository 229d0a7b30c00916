// The parts of an HTML page that also is well-formed XML: its head with the style sheet, sections,
// tables and tiles. The report of a dataset (html_report.h) and that of scores
// (stages/scores/score_report.h) are made of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernelmill {

// Everything up to the content, and everything after it. A page runs no script and loads nothing.
std::string OpenPage(const std::string& title);
std::string ClosePage();

// `title`, `body` and `what` are HTML; `text` and `titles` are any text, which is escaped.
std::string HtmlSection(const std::string& title, const std::string& body);
// Sections beside each other.
std::string HtmlGrid(const std::string& sections);
// The start of a table, which ends with "</table>". A column whose title begins with '#' holds
// numbers.
std::string HtmlTableHead(const std::vector<std::string>& titles);
std::string HtmlCell(const std::string& text);
std::string HtmlCell(std::int64_t number);
// A number in large print with what it counts.
std::string HtmlTile(std::int64_t number, const std::string& what);

}  // namespace kernelmill
