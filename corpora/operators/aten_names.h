// What torch's operators do with values, by their names: which of them compute nothing.
#pragma once

#include <set>
#include <string_view>

namespace kernelmill {

using AtenNames = std::set<std::string_view>;

// Parted by spaces; they point into the text.
AtenNames NamesIn(std::string_view text);

// "aten::add.Tensor" -> "add". All that follows takes such names, and knows those of aten.
std::string_view AtenName(std::string_view name);

// Memory without a result in it, questions about tensors, and what asking costs.
bool IsAtenBookkeeping(std::string_view name);
// Reads and writes no values: a view, or memory with nothing in it yet. Operators that copy where
// they must (reshape) call another one then.
bool IsAtenView(std::string_view name);
// Changes the layout or the type of values that stay the same.
bool IsAtenCopy(std::string_view name);
// Moves values, and can also add, choose or compare them.
bool IsAtenPlacement(std::string_view name);
// Moving values elsewhere: the operators that can do the work of `name`, with it; null where it is
// none of them.
const AtenNames* AtenMovement(std::string_view name);

}  // namespace kernelmill
