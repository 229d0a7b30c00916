// Code in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

// `code` between fences that none of its own can end; it ends with a newline.
std::string Fenced(std::string_view language, std::string_view code);

// The code of the last fenced block of `markdown`; empty without one.
std::string LastFenced(std::string_view markdown);

}  // namespace kernelmill
