#include "generators/pytorch/spelling.h"

namespace kernelmill {
namespace {

struct Sign {
  std::string_view method, sign;
  int tightness;
};

constexpr int kUnary = 11;
// https://docs.python.org/3/reference/expressions.html#operator-precedence
constexpr Sign kSigns[] = {
    {"__lt__", "<", 4},       {"__le__", "<=", 4},      {"__gt__", ">", 4},
    {"__ge__", ">=", 4},      {"__eq__", "==", 4},      {"__ne__", "!=", 4},
    {"__or__", "|", 5},       {"__xor__", "^", 6},      {"__and__", "&", 7},
    {"__lshift__", "<<", 8},  {"__rshift__", ">>", 8},  {"__add__", "+", 9},
    {"__sub__", "-", 9},      {"__mul__", "*", 10},     {"__matmul__", "@", 10},
    {"__truediv__", "/", 10}, {"__div__", "/", 10},     {"__floordiv__", "//", 10},
    {"__mod__", "%", 10},     {"__neg__", "-", kUnary}, {"__invert__", "~", kUnary},
    {"__pow__", "**", 12},
};

}  // namespace

Spelling SpellingOf(std::string_view full_name) {
  const std::size_t dot = full_name.rfind('.');
  const std::string_view name = full_name.substr(dot + 1);
  if (full_name.starts_with("torch.Tensor.")) {
    if (name.starts_with("__")) {
      for (const Sign& sign : kSigns) {
        if (sign.method == name) {
          return {SpellingForm::kSign,      {},    sign.sign,
                  sign.tightness == kUnary, false, sign.tightness};
        }
        // A reflected operator: "__rsub__" is "__sub__" with the operands exchanged.
        if (name[2] == 'r' && name.substr(3) == sign.method.substr(2)) {
          return {SpellingForm::kSign, {}, sign.sign, false, true, sign.tightness};
        }
      }
    }
    if (name == "__getitem__") return {SpellingForm::kSlice, {}, name};
    const bool property = name == "T" || name == "mT" || name == "H" || name == "mH";
    return {property ? SpellingForm::kProperty : SpellingForm::kMethod, {}, name};
  }
  if (full_name.starts_with("torch.nn.functional.")) return {SpellingForm::kFunction, "F.", name};
  if (full_name.starts_with("torch.nn.") && name[0] >= 'A' && name[0] <= 'Z') {
    return {SpellingForm::kModule, "nn.", name};
  }
  return {SpellingForm::kFunction, full_name.substr(0, dot + 1), name};
}

}  // namespace kernelmill
