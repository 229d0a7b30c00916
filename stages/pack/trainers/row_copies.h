// Draws rows by their weight, for trainers that ignore weights.
#pragma once

#include <cstdint>

#include "manifests/digest.h"

namespace kernelmill {

// How often a row is taken: its weight, rounded up or down at random so that the weight is the mean
// over seeds. It depends on the seed and the row alone: a row that a dataset loses or gains does
// not change how often the others are taken.
std::int64_t CopiesOf(const Digest& content_id, double weight, std::int64_t seed);

}  // namespace kernelmill
