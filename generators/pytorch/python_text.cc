#include "generators/pytorch/python_text.h"

#include <charconv>
#include <cmath>

namespace kernelmill {

void AppendInteger(std::int64_t value, std::string* text) {
  char digits[24];
  text->append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void AppendFloat(double value, std::string* text) {
  if (!std::isfinite(value)) {
    *text += std::isnan(value) ? "float('nan')" : value > 0 ? "float('inf')" : "float('-inf')";
    return;
  }
  char digits[40];
  const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const std::string_view written(digits, end - digits);
  *text += written;
  if (written.find_first_of(".e") == std::string_view::npos) *text += ".0";
}

void AppendListed(std::span<const std::int64_t> values, std::string* text) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) *text += ", ";
    AppendInteger(values[i], text);
  }
}

void AppendTuple(std::span<const std::int64_t> values, std::string* text) {
  *text += '(';
  AppendListed(values, text);
  *text += values.size() == 1 ? ",)" : ")";
}

}  // namespace kernelmill
