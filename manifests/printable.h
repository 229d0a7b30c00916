// Escapes untrusted text before it is shown in a terminal, a log, a prompt, a card or a report. A
// file name can hold an escape sequence that rewrites the screen, or a bidirectional override that
// shows it as another name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelmill {

// Replaces control characters, bidirectional controls and invisible characters by JSON escapes
// ("\u001b"), so that a JSON document keeps its meaning, and bytes that are not UTF-8 by U+FFFD.
// Line feeds and tabs stay.
std::string Printable(std::string_view text);

// The same on one line: line feeds and tabs are escaped too. Text of more than `limit` bytes is cut
// between two characters and ends with "…".
std::string PrintableLine(std::string_view text, std::size_t limit = 240);

// `path` as a word of a shell command, quoted if necessary.
std::string ForShell(std::string_view path);

}  // namespace kernelmill
