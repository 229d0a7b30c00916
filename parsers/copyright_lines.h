// Finds the copyright notices in a licence file or in the head of a source file, for the file
// NOTICE of a dataset (stages/publishable/attribution.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// The lines that say who holds a copyright, without the characters of a comment around them, in
// order and without repeats. Sentences about notices and holders, and the blanks of a form
// ("[yyyy]"), are none. Reads the first pages of a licence file.
std::vector<std::string> CopyrightLines(std::string_view text);
// The same for the first lines of a source file.
std::vector<std::string> CopyrightOfHead(std::string_view source);

}  // namespace kernelmill
