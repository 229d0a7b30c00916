#include "corpora/operators/scalar_expression.h"

#include <charconv>
#include <cmath>

namespace kernelmill {
namespace {

// The nearest number of half precision; float holds all others.
double Nearest(double value, DType dtype) {
  if (!IsHalfPrecision(dtype)) return value;
  if (value == 0 || !std::isfinite(value)) return value;
  const int bits = dtype == DType::kFloat16 ? 11 : 8;
  int exponent = 0;
  std::frexp(value, &exponent);
  // Below 2^-14 float16 keeps the distance that it has there.
  if (dtype == DType::kFloat16) exponent = std::max(exponent, -13);
  return std::ldexp(std::nearbyint(std::ldexp(value, bits - exponent)), exponent - bits);
}

}  // namespace

std::string Literal(double value, DType dtype) {
  if (std::isnan(value)) return "NAN";
  if (dtype == DType::kBool) value = value != 0;
  if (IsIntegral(dtype) && BytesOf(dtype) < 8) {
    // As torch converts a number to the dtype: what does not fit wraps around.
    const int bits = 64 - 8 * int(BytesOf(dtype));
    const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) << bits;
    value = dtype == DType::kUInt8 ? double(wide >> bits)
                                   : double(static_cast<std::int64_t>(wide) >> bits);
  }
  // What is too large for a float is infinite.
  if (IsFloating(dtype) && dtype != DType::kFloat64) value = static_cast<float>(value);
  std::string text;
  if (std::isinf(value)) {
    text = "INFINITY";
  } else {
    char digits[40];
    const double magnitude = std::fabs(value);
    std::to_chars_result end{};
    if (!IsFloating(dtype)) {
      end = std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(magnitude));
    } else if (dtype == DType::kFloat64) {
      end = std::to_chars(digits, digits + sizeof digits, magnitude);
    } else {
      end = std::to_chars(digits, digits + sizeof digits, static_cast<float>(magnitude));
    }
    text.assign(digits, end.ptr);
    if (IsFloating(dtype)) {
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      if (dtype != DType::kFloat64) text += "f";
    }
  }
  return std::signbit(value) && value != 0 ? "(-" + text + ")" : text;
}

std::string ScalarExpression(const OperatorRow& row, const OperatorUse& use, DType result,
                             std::span<const std::string> operands) {
  const std::string_view pattern = row.Scalar(use, result);
  const DType type = row.ScalarType(use, result);
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$') {
      const auto operand = static_cast<std::size_t>(pattern[++i] - '0');
      if (operand < operands.size()) text += operands[operand];
    } else if (pattern[i] == '{') {
      const std::size_t end = pattern.find('}', i);
      const std::string_view name = pattern.substr(i + 1, end - i - 1);
      for (std::size_t j = 0; j < row.attributes.size(); ++j) {
        if (row.attributes[j].name == name) {
          const double number = use.attribute(int(j)).number();
          text +=
              Literal(row.rounds_numbers ? Nearest(number, use.operand(0).dtype) : number, type);
        }
      }
      i = end;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

}  // namespace kernelmill
