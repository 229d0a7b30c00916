#include "stages/mine/evaluate/einops_pattern.h"

namespace kernelmill {
namespace {

std::optional<EinopsSide> ParseSide(std::string_view text) {
  EinopsSide side;
  bool inside = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ' ' || c == '\n' || c == '\t') {
      ++i;
    } else if (c == '(') {
      if (inside) return std::nullopt;
      inside = true;
      side.groups.emplace_back();
      ++i;
    } else if (c == ')') {
      if (!inside) return std::nullopt;
      inside = false;
      ++i;
    } else {
      std::size_t last = i;
      while (last < text.size() &&
             std::string_view(" ()\n\t").find(text[last]) == std::string_view::npos) {
        ++last;
      }
      const std::string name(text.substr(i, last - i));
      i = last;
      if (!inside) side.groups.emplace_back();
      if (name == "..." || name == "…") {
        if (side.ellipsis >= 0) return std::nullopt;
        side.ellipsis = static_cast<int>(side.groups.size()) - 1;
      } else if (name != "1") {
        side.groups.back().push_back(name);
      }
    }
  }
  if (inside) return std::nullopt;
  return side;
}

}  // namespace

std::optional<EinopsPattern> EinopsPattern::Parse(std::string_view text) {
  const auto arrow = text.find("->");
  if (arrow == std::string_view::npos) return std::nullopt;
  const auto left = ParseSide(text.substr(0, arrow));
  const auto right = ParseSide(text.substr(arrow + 2));
  if (!left || !right) return std::nullopt;
  return EinopsPattern{*left, *right};
}

std::optional<EinsumPattern> EinsumPattern::Parse(std::string_view text) {
  const auto arrow = text.find("->");
  if (arrow == std::string_view::npos) return std::nullopt;
  // In torch's notation, axes are single letters without spaces.
  const auto spread = [](std::string_view side) {
    std::string spaced;
    const bool torch = side.find(' ') == std::string_view::npos;
    for (std::size_t i = 0; i < side.size(); ++i) {
      if (side.substr(i, 3) == "...") {
        spaced += " ... ";
        i += 2;
      } else {
        spaced += side[i];
        if (torch) spaced += ' ';
      }
    }
    return spaced;
  };
  EinsumPattern pattern;
  std::string_view inputs = text.substr(0, arrow);
  std::string_view output = text.substr(arrow + 2);
  for (;;) {
    const auto comma = inputs.find(',');
    std::string_view operand = inputs.substr(0, comma);
    while (operand.starts_with(' ')) operand.remove_prefix(1);
    while (operand.ends_with(' ')) operand.remove_suffix(1);
    const auto side = ParseSide(spread(operand));
    if (!side) return std::nullopt;
    pattern.operands.push_back(*side);
    if (comma == std::string_view::npos) break;
    inputs.remove_prefix(comma + 1);
  }
  while (output.starts_with(' ')) output.remove_prefix(1);
  while (output.ends_with(' ')) output.remove_suffix(1);
  const auto result = ParseSide(spread(output));
  if (!result) return std::nullopt;
  pattern.result = *result;
  return pattern;
}

}  // namespace kernelmill
