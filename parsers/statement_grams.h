// The text of a Python program as a set of grams (gram_set.h) that stays nearly the same when
// somebody disguises the program: "admit" compares tasks with the problems of benchmarks by it.
//
// Grams do not reach beyond a statement or the head of a definition, so their order is free. The
// names that the program gives to its own variables, parameters, functions, classes and attributes
// all count as the same name. Names of libraries, operators, keywords and constants stay; modules
// before a dot are left out (torch.nn.functional.relu and F.relu are both relu). Comments,
// docstrings, imports, annotations and formatting are left out.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kernelmill {

// Ascending, each gram once; empty for a text without statements. Any text has grams.
std::vector<std::uint64_t> StatementGrams(std::string_view python);

}  // namespace kernelmill
