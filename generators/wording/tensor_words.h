// Tensors in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpora/records/annotation.h"

namespace kernelmill {

// "(2, 64)", "(8,)", "()".
std::string ShapeWords(const std::vector<std::int64_t>& shape);
// "(2, 64) float32". Safe on a terminal.
std::string TensorText(const std::vector<std::int64_t>& shape, const std::string& dtype);

// Of a dense tensor in row-major order, in elements.
std::vector<std::int64_t> RowMajorStrides(const std::vector<std::int64_t>& shape);

// Saturates, as does the next.
std::int64_t ElementsIn(const std::vector<std::int64_t>& shape);
// 0 for a dtype that nobody knows.
std::int64_t BytesIn(const std::vector<std::int64_t>& shape, const std::string& dtype);

}  // namespace kernelmill
