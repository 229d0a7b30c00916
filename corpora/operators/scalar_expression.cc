#include "corpora/operators/scalar_expression.h"

#include <charconv>
#include <cmath>

namespace kernelmill {
namespace {

// Rounds to half precision if `dtype` is a half-precision type; other dtypes do not round here.
double Nearest(double value, DType dtype) {
  if (!IsHalfPrecision(dtype)) return value;
  if (value == 0 || !std::isfinite(value)) return value;
  const int bits = dtype == DType::kFloat16 ? 11 : 8;
  int exponent = 0;
  std::frexp(value, &exponent);
  // Subnormal float16 numbers have the spacing of 2^-14.
  if (dtype == DType::kFloat16) exponent = std::max(exponent, -13);
  return std::ldexp(std::nearbyint(std::ldexp(value, bits - exponent)), exponent - bits);
}

}  // namespace

std::string Literal(double value, DType dtype) {
  if (dtype == DType::kBool) return value != 0 ? "true" : "false";
  char digits[40];
  if (!IsFloating(dtype)) {
    // Integers wrap around.
    const int bits = 64 - 8 * static_cast<int>(BytesOf(dtype));
    const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) << bits;
    const std::int64_t whole = dtype == DType::kUInt8 ? static_cast<std::int64_t>(wide >> bits)
                                                      : static_cast<std::int64_t>(wide) >> bits;
    return {digits, std::to_chars(digits, digits + sizeof digits, whole).ptr};
  }
  if (std::isnan(value)) return "NAN";
  const bool is_double = dtype == DType::kFloat64;
  // A number that exceeds the range of float becomes infinite.
  if (!is_double) value = static_cast<float>(value);
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  const auto end = is_double
                       ? std::to_chars(digits, digits + sizeof digits, value)
                       : std::to_chars(digits, digits + sizeof digits, static_cast<float>(value));
  std::string text(digits, end.ptr);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return is_double ? text : text + "f";
}

std::string ScalarExpression(const OperatorRow& row, const OperatorUse& use, DType result,
                             std::span<const std::string> operands,
                             const AttributeText& attribute_text) {
  const std::string_view pattern = row.Scalar(use, result);
  const DType type = row.ScalarType(use, result);
  const auto literal = [&](std::string_view name) -> std::string {
    for (std::size_t i = 0; i < row.attributes.size(); ++i) {
      if (row.attributes[i].name != name) continue;
      const Attribute& attribute = use.attribute(static_cast<int>(i));
      const double number = attribute.kind() == Attribute::Kind::kFlag
                                ? static_cast<double>(attribute.flag())
                                : attribute.number();
      return Literal(row.rounds_numbers ? Nearest(number, use.operand(0).dtype) : number, type);
    }
    return "";
  };
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$') {
      const auto operand = static_cast<std::size_t>(pattern[++i] - '0');
      if (operand < operands.size()) text += operands[operand];
    } else if (pattern[i] == '{') {
      const std::size_t end = pattern.find('}', i);
      const std::string_view name = pattern.substr(i + 1, end - i - 1);
      std::optional<std::string> number = attribute_text ? attribute_text(name) : std::nullopt;
      if (!number) number = literal(name);
      i = end;
      if ((*number == "1.0f" || *number == "1") && pattern.substr(end + 1).starts_with(" * ")) {
        i += 3;
        continue;
      }
      text += number->starts_with('-') ? '(' + *number + ')' : *number;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

}  // namespace kernelmill
