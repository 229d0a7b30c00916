#include "generators/graphs/foreseeable.h"

#include <cmath>
#include <string_view>

#include "manifests/is_one_of.h"

namespace kernelmill {
namespace {

// On floats these are foreseeable: random floats are never zero and never equal to each other.
constexpr std::string_view kExact[] = {"eq",          "ne",         "eq_scalar",   "ne_scalar",
                                       "logical_and", "logical_or", "logical_xor", "logical_not",
                                       "bool",        "all",        "any",         "count_nonzero"};
constexpr std::string_view kOrders[] = {"lt_scalar", "le_scalar", "gt_scalar", "ge_scalar"};
constexpr std::string_view kRoundings[] = {"trunc", "floor", "ceil", "round", "int", "long"};
constexpr std::string_view kSigns[] = {"sign", "signbit", "heaviside"};
constexpr std::string_view kClamps[] = {"clamp", "clamp_min", "clamp_max", "hardtanh"};

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

bool AsksForTruth(const OperatorRow& op) { return op.name == "all" || op.name == "any"; }

bool IsForeseeable(const OperatorRow& op, std::span<const Attribute> attributes,
                   const Value& first) {
  const bool floating = IsFloating(first.type.dtype);
  if (IsOneOf(op.name, kExact) && floating) return true;
  if (AsksForTruth(op)) {
    return first.type.dtype != DType::kBool || first.role != ValueRole::kInput;
  }
  if (first.type.dtype == DType::kBool) return false;
  const Bulk bulk(first.range);
  if (IsOneOf(op.name, kOrders)) {
    const double other = attributes[0].number();
    return !bulk.HasAbove(other) || !bulk.HasBelow(other);
  }
  if (IsOneOf(op.name, kSigns)) return !bulk.HasAbove(0) || !bulk.HasBelow(0);
  if (IsOneOf(op.name, kClamps)) return !LeavesSome(op, attributes, bulk);
  if (op.name == "relu") return !bulk.HasAbove(0);
  if (IsOneOf(op.name, kRoundings) && floating) {
    const double shift = op.name == "round" ? 0.5 : 0;
    const auto rounded = [&](double number) {
      return op.name == "floor" || op.name == "round" ? std::floor(number + shift)
             : op.name == "ceil"                      ? std::ceil(number)
                                                      : std::trunc(number);
    };
    return rounded(bulk.low + bulk.margin()) == rounded(bulk.high - bulk.margin());
  }
  return false;
}

}  // namespace kernelmill
