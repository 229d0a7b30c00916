#include "generators/graphs/foreseeable.h"

#include <cmath>

namespace kernelmill {
namespace {

// The interval with most of the numbers.
struct Bulk {
  double low, high;

  explicit Bulk(const Range& range)
      : low(std::fmax(range.low, -2 * range.scale)), high(std::fmin(range.high, 2 * range.scale)) {}
  double margin() const { return (high - low) / 10; }
  bool HasBelow(double number) const { return number > low + margin(); }
  bool HasAbove(double number) const { return number < high - margin(); }
};

// For clamp(min, max) and hardtanh(min_val, max_val): whether enough numbers are above the minimum
// and enough are below the maximum.
bool LeavesSome(const OperatorRow& op, std::span<const Attribute> attributes, const Bulk& bulk) {
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].is_none()) continue;
    const double bound = attributes[i].number();
    if (op.attributes[i].name.starts_with("min") && !bulk.HasAbove(bound)) return false;
    if (op.attributes[i].name.starts_with("max") && !bulk.HasBelow(bound)) return false;
  }
  return true;
}

}  // namespace

bool AsksForTruth(const OperatorRow& op) { return op.question == ResultQuestion::kAllOrAny; }

bool IsForeseeable(const OperatorRow& op, std::span<const Attribute> attributes,
                   const Value& first) {
  using enum ResultQuestion;
  if (op.question == kNone) return false;
  const bool floating = IsFloating(first.type.dtype);
  if ((op.question == kZeroOrEqual || op.question == kAllOrAny) && floating) return true;
  if (op.question == kAllOrAny) {
    return first.type.dtype != DType::kBool || first.role != ValueRole::kInput;
  }
  if (first.type.dtype == DType::kBool) return false;
  const Bulk bulk(first.range);
  // Whether the bulk becomes one number.
  const auto is_one = [&](double (*rounded)(double)) {
    return floating && rounded(bulk.low + bulk.margin()) == rounded(bulk.high - bulk.margin());
  };
  switch (op.question) {
    case kOrder: {
      const double other = attributes[0].number();
      return !bulk.HasAbove(other) || !bulk.HasBelow(other);
    }
    case kSign:
      return !bulk.HasAbove(0) || !bulk.HasBelow(0);
    case kPositive:
      return !bulk.HasAbove(0);
    case kBounds:
      return !LeavesSome(op, attributes, bulk);
    case kTruncated:
      return is_one([](double number) { return std::trunc(number); });
    case kFloor:
      return is_one([](double number) { return std::floor(number); });
    case kCeiling:
      return is_one([](double number) { return std::ceil(number); });
    case kRounded:
      return is_one([](double number) { return std::floor(number + 0.5); });
    case kNone:
    case kZeroOrEqual:
    case kAllOrAny:
      break;
  }
  return false;
}

}  // namespace kernelmill
