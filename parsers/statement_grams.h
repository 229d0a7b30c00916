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

// Those of the class `module` and of what it uses of the file, so without the functions that give
// its inputs. Only grams of expressions that tell what is computed are in it: a name of a library,
// an operator, a constant or a condition is one of their tokens. Empty for a text without the class.
std::vector<std::uint64_t> ModuleGrams(std::string_view python, std::string_view module = "Model");

}  // namespace kernelmill
