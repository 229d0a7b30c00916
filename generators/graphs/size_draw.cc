#include "generators/graphs/size_draw.h"

#include <algorithm>

namespace kernelmill {
namespace {

// Draws a number that networks usually have: mostly a power of two or a multiple of a quarter of
// one, sometimes any number.
std::int64_t Round(Draw* draw, std::int64_t low, std::int64_t high) {
  const std::int64_t value = draw->Binned(low, high);
  const double kind = draw->Number();
  if (kind < 0.12) return value;
  std::int64_t power = 1;
  while (2 * power <= value) power *= 2;
  if (kind < 0.62) return std::max(power, low);
  const std::int64_t step = std::max<std::int64_t>(1, power / 4);
  return std::clamp(value / step * step, low, high);
}

// These differ from all small batches and widths, so that a size is never taken for another one.
constexpr std::int64_t kSmallExtents[] = {6, 7, 9, 10, 11, 13, 14};

}  // namespace

SizePair DrawBatch(Draw* draw) {
  std::int64_t large = std::int64_t{1} << draw->Integer(0, 8);
  if (draw->Chance(0.1)) large = draw->Integer(1, 100);
  return {std::max<std::int64_t>(large, 2), draw->Integer(2, 3)};
}

SizePair WithDistinctSizes(std::int64_t large, std::int64_t small) {
  return {large, small == large ? small + 1 : small};
}

SizePair DrawFeatures(Draw* draw) {
  constexpr std::int64_t kSmall[] = {8, 12, 16, 20, 24, 28, 32, 40, 48};
  const std::int64_t small = kSmall[draw->Index(std::size(kSmall))];
  return {std::max(Round(draw, 64, 8192), small), small};
}

SizePair DrawChannels(Draw* draw) {
  if (draw->Chance(0.2)) return {3, 3};
  constexpr std::int64_t kSmall[] = {4, 8, 12, 16};
  const std::int64_t small = kSmall[draw->Index(std::size(kSmall))];
  const std::int64_t large = Round(draw, 16, 512);
  return {std::max((large + small - 1) / small * small, small), small};
}

SizePair DrawSide(Draw* draw) {
  constexpr std::int64_t kUsual[] = {14, 28, 32, 56, 64, 112, 128, 224, 256, 512};
  const std::int64_t large =
      draw->Chance(0.75) ? kUsual[draw->Index(std::size(kUsual))] : draw->Binned(14, 600);
  return {large, kSmallExtents[draw->Index(4) + 2]};
}

SizePair DrawLength(Draw* draw) { return {Round(draw, 32, 4096), kSmallExtents[draw->Index(6) + 1]}; }

SizePair DrawDepth(Draw* draw) {
  constexpr std::int64_t kUsual[] = {8, 16, 16, 24, 32, 32, 48, 64};
  const std::int64_t large = kUsual[draw->Index(std::size(kUsual))];
  return {large, kSmallExtents[draw->Index(2)]};
}

bool UsuallyVaries(std::string_view name) {
  return name == "seq_len" || name == "height" || name == "width" || name == "length" ||
         name == "depth" || name == "num_tokens";
}

}  // namespace kernelmill
