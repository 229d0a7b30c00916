// Classifies ATen operators by name: bookkeeping, views, copies, and operators that only move
// values.
#pragma once

#include <set>
#include <string_view>

namespace kernelmill {

using AtenNames = std::set<std::string_view>;

// Splits at spaces. The names point into `text`.
AtenNames NamesIn(std::string_view text);

// "aten::add.Tensor" -> "add". The functions below take such names, and know those of namespace
// aten.
std::string_view AtenName(std::string_view name);

// Allocation without a result, queries of tensor properties, and what they call.
bool IsAtenBookkeeping(std::string_view name);
// Computes and moves no values: a view, or uninitialized memory. An operator that copies when it
// must (reshape) then calls another one, which is not a view.
bool IsAtenView(std::string_view name);
// Changes only the layout or the dtype of values.
bool IsAtenCopy(std::string_view name);
// Moves values, and may also add, select or compare them.
bool IsAtenPlacement(std::string_view name);
// Puts tensors beside each other, or beside a constant, in the order that they have.
bool IsAtenJoin(std::string_view name);
// What stands in a record of operators beside a conversion that loses values: one of floating-point
// numbers to integers truncates them, one to narrower integers wraps.
inline constexpr std::string_view kAtenTruncation = "_cast_to_integers";
// The same beside a view that shows numbers as others of another size.
inline constexpr std::string_view kAtenViewOfParts = "_view_of_parts";
// What stands in a record of operators that have made the candidate's result, which no kernel then
// changes.
inline constexpr std::string_view kAtenMadeResult = "_made_result";
// The same for what operators that move data do together
// (stages/cuda_executor/runtime/torch_work/torch_moves.h).
inline constexpr std::string_view kAtenCastOfRounded = "_cast_of_rounded";
inline constexpr std::string_view kAtenCastOfView = "_cast_of_view";
inline constexpr std::string_view kAtenEnlargingCopy = "_enlarging_copy";
inline constexpr std::string_view kAtenDeviceCopy = "_device_copy";
// The same for torch's work with all values of a 16-bit type, before the first call.
inline constexpr std::string_view kAtenTable = "_table_of_all_values";
// Repeats elements: its result has more of them, and no others.
bool IsAtenEnlarging(std::string_view name);
// What torch dispatches when a program only allocates, views, copies and joins tensors: fewer names
// than the functions above know, for texts that list them. Sorted.
AtenNames LayoutAtenNames();
// All names that the functions of this header know.
AtenNames KnownAtenNames();
// The operators that can do the same data movement as `name`, with `name` itself; null when `name`
// is not a data movement.
const AtenNames* AtenMovement(std::string_view name);

}  // namespace kernelmill
