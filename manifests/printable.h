// Text of unknown origin made fit to be shown: on a terminal, in a log, in a card or report. A file
// name can hold an escape sequence that rewrites the screen, or a bidirectional override that shows
// it as another name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelmill {

// Control characters, bidirectional controls and invisible characters become JSON's escapes
// ("\u001b"), so that a JSON document still says the same afterwards; bytes that are not UTF-8
// become U+FFFD. Line feeds and tabs stay.
std::string Printable(std::string_view text);

// The same on one line: line feeds and tabs are escaped too. What is longer than `limit` bytes is
// cut between two characters and ends with "…".
std::string PrintableLine(std::string_view text, std::size_t limit = 240);

}  // namespace kernelmill
