// Formats numbers for readers: in the dataset card and the report, in messages of commands, and in
// the prose of rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelmill {

// "1,234,567"
std::string Grouped(std::int64_t number);
// "1 file", "1,234 files".
std::string Counted(std::int64_t number, std::string_view what);
// With a binary unit and at most three digits: "512", "4Ki", "1.5Mi".
std::string Binary(std::int64_t number);
// "12.3 %" of `whole`; "–" when `whole` is 0.
std::string Percent(std::int64_t part, std::int64_t whole);

}  // namespace kernelmill
