#include "stages/admit/argument_edits.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// Sizes of unknown dimensions; they differ, so that no shape is a cube.
constexpr std::int64_t kHeight = 32;
constexpr std::int64_t kWidth = 48;
constexpr std::int64_t kTokens = 16;
constexpr std::int64_t kFrames = 8;
constexpr std::size_t kMostDigits = 12;

std::int64_t ChannelsOf(const std::vector<std::int64_t>& shape) {
  if (shape.size() >= 4) return shape[1];
  return shape.empty() ? kTokens : shape.back();
}

}  // namespace

int Weakness(Evidence evidence) {
  switch (evidence) {
    case Evidence::kObserved:
    case Evidence::kCallSite:
      return 0;
    case Evidence::kDefault:
    case Evidence::kLayer:
      return 1;
    case Evidence::kUnpack:
    case Evidence::kAnnotation:
      return 2;
    case Evidence::kConstraint:
      return 3;
    case Evidence::kRepair:
    case Evidence::kName:
      return 4;
  }
  return 4;
}

ArgumentSet WithSize(ArgumentSet arguments, std::size_t input, std::size_t axis,
                     std::int64_t size) {
  InputGuess& guess = arguments.inputs[input];
  guess.spec.shape[axis] = size;
  guess.sizes[axis] = Evidence::kRepair;
  return arguments;
}

ArgumentSet WithRank(ArgumentSet arguments, std::size_t input, std::size_t rank) {
  const std::optional<std::int64_t> side = ImageSize(arguments);
  const std::int64_t height = side.value_or(kHeight), width = side.value_or(kWidth);
  InputGuess& guess = arguments.inputs[input];
  std::vector<std::int64_t>& shape = guess.spec.shape;
  const std::int64_t batch = shape.empty() ? 2 : shape.front();
  const std::int64_t channels = ChannelsOf(shape);
  switch (rank) {
    case 0:
      shape = {};
      break;
    case 1:
      shape = {channels};
      break;
    case 2:
      shape = {batch, channels};
      break;
    case 3:
      shape = {batch, kTokens, channels};
      break;
    case 4:
      shape = {batch, channels, height, width};
      break;
    case 5:
      shape = {batch, channels, kFrames, height, width};
      break;
    default:
      shape.resize(rank, kFrames);
      break;
  }
  guess.rank = Evidence::kRepair;
  guess.sizes.assign(rank, Evidence::kRepair);
  return arguments;
}

ArgumentSet WithLeading(ArgumentSet arguments, std::size_t input, std::int64_t size) {
  InputGuess& guess = arguments.inputs[input];
  guess.spec.shape.insert(guess.spec.shape.begin() + 1, size);
  guess.sizes.insert(guess.sizes.begin() + 1, Evidence::kRepair);
  guess.rank = Evidence::kRepair;
  return arguments;
}

ArgumentSet WithChannelsLast(ArgumentSet arguments, std::size_t input) {
  InputGuess& guess = arguments.inputs[input];
  std::rotate(guess.spec.shape.begin() + 1, guess.spec.shape.begin() + 2, guess.spec.shape.end());
  guess.sizes.assign(guess.sizes.size(), Evidence::kRepair);
  return arguments;
}

ArgumentSet WithDtype(ArgumentSet arguments, std::size_t input, std::string dtype,
                      std::int64_t high) {
  InputSpec& spec = arguments.inputs[input].spec;
  spec.draw = dtype == "bool" ? "bool" : dtype.starts_with("int") ? "randint" : "randn";
  spec.low = 0;
  spec.high = spec.draw == "randint" ? high : 0;
  spec.dtype = std::move(dtype);
  return arguments;
}

ArgumentSet WithInit(ArgumentSet arguments, std::size_t argument, std::string expression) {
  arguments.init[argument].expression = std::move(expression);
  arguments.init[argument].evidence = Evidence::kRepair;
  return arguments;
}

std::optional<std::int64_t> IntegerOf(const InitArgument& argument) {
  const std::string& text = argument.expression;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> ImageSize(const ArgumentSet& arguments) {
  for (const InitArgument& argument : arguments.init) {
    const std::string& name = argument.name;
    const bool image = name.find("image") != std::string::npos ||
                       name.find("img") != std::string::npos ||
                       name.find("resolution") != std::string::npos;
    if (!image || name.find("channel") != std::string::npos) continue;
    const std::vector<std::int64_t> numbers = IntegersIn(argument.expression);
    if (!numbers.empty() && numbers[0] >= 8 && numbers[0] <= 1024) return numbers[0];
  }
  return std::nullopt;
}

std::vector<std::int64_t> IntegersIn(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < text.size();) {
    // "conv2d", "mat1": part of a word.
    const bool in_word =
        i > 0 &&
        (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == '_') &&
        text[i - 1] != 'x';
    std::size_t end = i;
    while (end < text.size() && IsDigit(text[end])) ++end;
    std::int64_t value = 0;
    if (end > i && !in_word && end - i <= kMostDigits &&
        std::from_chars(text.data() + i, text.data() + end, value).ec == std::errc()) {
      numbers.push_back(value);
    }
    i = std::max(end, i + 1);
  }
  return numbers;
}

std::string_view After(std::string_view text, std::string_view marker) {
  const std::size_t at = text.find(marker);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + marker.size());
}

}  // namespace kernelmill
