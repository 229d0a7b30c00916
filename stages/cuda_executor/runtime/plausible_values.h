// Values as earlier work on a device leaves them in memory that is given out again. A kernel that
// takes what it finds there for a result, its own or another program's, computes nothing.
#pragma once

#include <ATen/core/ScalarType.h>

#include <cstddef>
#include <vector>

namespace kernelmill {

// Fills memory with finite numbers, in every floating-point format, of which none repeats in an
// order that code can know.
void FillPlausible(char* memory, std::size_t size);

// Changes the elements of a result: some hardly, as another order of its sums would, and some so
// that they are wrong. A kernel that keeps what is near to its own result, or that judges all
// elements by some, is wrong then.
void ChangeSome(std::vector<char>* bytes, c10::ScalarType type);

}  // namespace kernelmill
