#include "generators/reasoning/value_style.h"

#include <cstdio>

#include "generators/wording/number_format.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// From here on counts can have separators, and amounts larger units.
constexpr std::int64_t kLong = 10'000;
constexpr double kKilo = 1e3, kMega = 1e6, kGiga = 1e9;

std::string Rounded(const char* format, double number) {
  char text[40];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

}  // namespace

std::vector<std::string> RoundedBytes(std::int64_t bytes) {
  if (bytes < kLong) return {};
  const auto number = static_cast<double>(bytes);
  return {number < kMega   ? Rounded("%.1f kB", number / kKilo)
          : number < kGiga ? Rounded("%.2f MB", number / kMega)
                           : Rounded("%.2f GB", number / kGiga)};
}

ValueStyle::ValueStyle(const Wording& wording)
    : shape_(wording.Index("style of shapes", 4)), bytes_(wording.Index("style of bytes", 2)) {}

std::string ValueStyle::Shape(const std::vector<std::int64_t>& shape) const {
  const std::string words = ShapeText(shape);
  if (shape.empty() || shape_ < 2) return words;
  if (shape_ == 2 || shape.size() == 1) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
      text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    }
    return text + "]";
  }
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : "×") + std::to_string(size);
  return text;
}

std::string ValueStyle::Count(std::int64_t number) const {
  return number < kLong ? std::to_string(number) : Grouped(number);
}

std::string ValueStyle::Bytes(std::int64_t bytes) const {
  const std::vector<std::string> rounded = RoundedBytes(bytes);
  return bytes_ < rounded.size() ? rounded[bytes_] : Count(bytes) + " bytes";
}

}  // namespace kernelmill
