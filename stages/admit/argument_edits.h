// Small changes to an ArgumentSet: the constructor arguments (`init`) and the tensors for forward()
// (`inputs`) with which "admit" tries a mined module. The repairs (call_repairs.h, value_repairs.h,
// shape_repairs.h) combine them into their proposals. Every With…() returns a changed copy whose
// changed values have the evidence kRepair; `input`, `axis` and `argument` are positions from 0.
// The other functions read arguments and the texts of errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/mined_module.h"

namespace kernelmill {

// How readily a repair changes a value: from 0 for one that was observed in its repository to 4 for
// one that rests on a name or an earlier repair.
int Weakness(Evidence evidence);

ArgumentSet WithSize(ArgumentSet arguments, std::size_t input, std::size_t axis, std::int64_t size);
// Keeps the first dimension (the batch) and what is known about channels: the last one of a
// sequence (b, n, c), the second of an image (b, c, h, w). New spatial dimensions get the image
// size that the constructor was given.
ArgumentSet WithRank(ArgumentSet arguments, std::size_t input, std::size_t rank);
// (b, n, c) becomes (b, size, n, c).
ArgumentSet WithLeading(ArgumentSet arguments, std::size_t input, std::int64_t size);
// (b, c, h, w) becomes (b, h, w, c).
ArgumentSet WithChannelsLast(ArgumentSet arguments, std::size_t input);
// Draws integers in [0, high) for an integer dtype, and booleans for bool.
ArgumentSet WithDtype(ArgumentSet arguments, std::size_t input, std::string dtype,
                      std::int64_t high);
ArgumentSet WithInit(ArgumentSet arguments, std::size_t argument, std::string expression);

// The value of a constructor argument that is a plain integer.
std::optional<std::int64_t> IntegerOf(const InitArgument& argument);
// The side of square images that an argument of the constructor states (image_size, img_size, …).
std::optional<std::int64_t> ImageSize(const ArgumentSet& arguments);

// All integers of at most twelve digits in a text that are not a part of a word, in order, without
// sign.
std::vector<std::int64_t> IntegersIn(std::string_view text);
// The text after `marker`, or an empty view.
std::string_view After(std::string_view text, std::string_view marker);

}  // namespace kernelmill
