// Shapes and dtypes of tensors as text for rows and prompts, and the strides and numbers of bytes
// that follow from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/annotation.h"

namespace kernelmill {

// "(2, 64)", "(8,)", "()".
std::string ShapeText(const std::vector<std::int64_t>& shape);
// "(2, 64) float32". Safe on a terminal.
std::string TensorText(const std::vector<std::int64_t>& shape, const std::string& dtype);

// The strides of a dense tensor in row-major order, in elements; a stride saturates at INT64_MAX.
std::vector<std::int64_t> RowMajorStrides(const std::vector<std::int64_t>& shape);

// The number of elements; saturates at INT64_MAX.
std::int64_t ElementsIn(const std::vector<std::int64_t>& shape);
// The number of bytes; saturates at INT64_MAX. 0 for an unknown dtype.
std::int64_t BytesIn(const std::vector<std::int64_t>& shape, const std::string& dtype);

}  // namespace kernelmill
