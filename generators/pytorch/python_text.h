// Appends Python literals (int, float, tuple) to a text: for the modules that PyTorchSource
// (pytorch_source.h) writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kernelmill {

void AppendInteger(std::int64_t value, std::string* text);
// The shortest form that reads back as the same float: "0.1", "2.0", "1e-05", "float('inf')".
void AppendFloat(double value, std::string* text);
// "(3,)", "(3, 5)".
void AppendTuple(std::span<const std::int64_t> values, std::string* text);
// "3, 5".
void AppendListed(std::span<const std::int64_t> values, std::string* text);

}  // namespace kernelmill
