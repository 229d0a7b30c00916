#include "generators/wording/number_format.h"

namespace kernelmill {

std::string Grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool after_digit = i > 0 && digits[i - 1] != '-';
    if (after_digit && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string Counted(std::int64_t number, std::string_view what) {
  return Grouped(number) + " " + std::string(what) + (number == 1 ? "" : "s");
}

std::string Binary(std::int64_t number) {
  constexpr std::string_view kUnits[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t unit = 0;
  std::int64_t tenths = number;
  for (; number >= 1024; number /= 1024) {
    tenths = number / 1024 * 10 + number % 1024 * 10 / 1024;
    ++unit;
  }
  if (unit == 0) return std::to_string(number);
  std::string text = std::to_string(tenths / 10);
  if (tenths < 100 && tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
  return text + std::string(kUnits[unit]);
}

std::string Percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "–";
  const auto tenths = static_cast<std::int64_t>(
      1000.0 * static_cast<double>(part) / static_cast<double>(whole) + 0.5);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

}  // namespace kernelmill
