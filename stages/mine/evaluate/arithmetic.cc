#include <cmath>

#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kLongestSequence = 4096;

}  // namespace

KnownValue* Evaluator::Binary(std::string_view op, KnownValue* a, KnownValue* b) {
  if (a->Is(ValueKind::kTensor) || b->Is(ValueKind::kTensor)) {
    if (op == "@") return MatrixProduct(a, b);
    return Broadcast(a, b);
  }
  FillNone(a, false);
  FillNone(b, false);
  if (a->Is(ValueKind::kHole) || b->Is(ValueKind::kHole)) {
    // Nothing is known about the number, so it becomes a small one that divides usual widths.
    KnownValue* hole = a->Is(ValueKind::kHole) ? a : b;
    FillHole(hole, "4", Evidence::kConstraint);
    return Unknown();
  }
  if (a->Is(ValueKind::kSequence) && b->Is(ValueKind::kSequence) && op == "+") {
    std::vector<KnownValue*> items = a->items;
    items.insert(items.end(), b->items.begin(), b->items.end());
    return Sequence(std::move(items));
  }
  if (op == "*" && (a->Is(ValueKind::kSequence) || b->Is(ValueKind::kSequence))) {
    KnownValue* sequence = a->Is(ValueKind::kSequence) ? a : b;
    const auto count = AsInteger(a->Is(ValueKind::kSequence) ? b : a);
    if (!count || *count < 0 ||
        *count * static_cast<std::int64_t>(sequence->items.size()) > kLongestSequence) {
      return Unknown();
    }
    std::vector<KnownValue*> items;
    for (std::int64_t i = 0; i < *count; ++i) {
      items.insert(items.end(), sequence->items.begin(), sequence->items.end());
    }
    return Sequence(std::move(items));
  }
  if (a->Is(ValueKind::kString) && b->Is(ValueKind::kString) && op == "+") {
    return String(a->text + b->text);
  }
  return Arithmetic(op, a, b);
}

KnownValue* Evaluator::Arithmetic(std::string_view op, KnownValue* a, KnownValue* b) {
  const auto whole_a = AsInteger(a), whole_b = AsInteger(b);
  const bool floating = a->Is(ValueKind::kFloat) || b->Is(ValueKind::kFloat);
  if (!floating && whole_a && whole_b) {
    const std::int64_t x = *whole_a, y = *whole_b;
    constexpr std::int64_t kLimit = std::int64_t{1} << 40;
    if (std::llabs(x) < kLimit && std::llabs(y) < (1 << 20)) {
      if (op == "+") return Integer(x + y);
      if (op == "-") return Integer(x - y);
      if (op == "*") return Integer(x * y);
      if (op == "//" && y != 0) return Integer((x - ((x % y + y) % y)) / y);
      if (op == "%" && y != 0) return Integer((x % y + y) % y);
      if (op == "<<" && y >= 0 && y < 20) return Integer(x << y);
      if (op == ">>" && y >= 0 && y < 40) return Integer(x >> y);
      if (op == "**" && y >= 0 && y < 31) {
        const double power = std::pow(static_cast<double>(x), static_cast<double>(y));
        return std::fabs(power) < 1e15 ? Integer(static_cast<std::int64_t>(power)) : Unknown();
      }
    }
  }
  const auto real_a = AsNumber(a), real_b = AsNumber(b);
  if (real_a && real_b) {
    if (op == "+") return Float(*real_a + *real_b);
    if (op == "-") return Float(*real_a - *real_b);
    if (op == "*") return Float(*real_a * *real_b);
    if (op == "/" && *real_b != 0) return Float(*real_a / *real_b);
    if (op == "//" && *real_b != 0) return Float(std::floor(*real_a / *real_b));
    if (op == "**") return Float(std::pow(*real_a, *real_b));
    return Unknown();
  }
  return SizeArithmetic(op, a, b);
}

KnownValue* Evaluator::SizeArithmetic(std::string_view op, KnownValue* a, KnownValue* b) {
  const bool size_a = a->Is(ValueKind::kSize), size_b = b->Is(ValueKind::kSize);
  if (!size_a && !size_b) return Unknown();
  const auto whole_a = AsInteger(a), whole_b = AsInteger(b);
  if (op == "*" && (size_a || whole_a) && (size_b || whole_b)) {
    const Dim product = solver_.Fresh();
    solver_.AddProduct(product, AsDim(a), AsDim(b));
    return SizeOf(product);
  }
  if (op == "**" && size_a && b->Is(ValueKind::kFloat) && b->real == 0.5) {
    const Dim root = solver_.Fresh();
    solver_.AddProduct(a->dim, root, root);
    return SizeOf(root);
  }
  if (!size_a || !whole_b) {
    if (op == "+" && whole_a && size_b) return SizeArithmetic(op, b, a);
    return op == "/" ? Unknown() : SizeOf(solver_.Fresh());
  }
  if (op == "+" || op == "-") {
    const Dim sum = solver_.Fresh();
    solver_.AddSum(sum, a->dim, op == "+" ? *whole_b : -*whole_b);
    return SizeOf(sum);
  }
  if ((op == "//" || op == "/") && *whole_b > 0) {
    const Dim quotient = solver_.Fresh();
    solver_.AddProduct(a->dim, quotient, solver_.Constant(*whole_b));
    return SizeOf(quotient);
  }
  // Code computes a size modulo a number to check that it divides.
  if (op == "%" && *whole_b > 0) {
    if (weak_ == 0) solver_.AddFactor(a->dim, *whole_b);
    return Integer(0);
  }
  return Unknown();
}

KnownValue* Evaluator::Compare(std::string_view op, KnownValue* a, KnownValue* b) {
  if (op == "is" || op == "is not" || op == "==" || op == "!=") {
    const bool wanted = op == "is" || op == "==";
    if (a->Is(ValueKind::kNone) && b->Is(ValueKind::kNone)) return Bool(wanted);
    if (a->Is(ValueKind::kNone) || b->Is(ValueKind::kNone)) {
      const KnownValue* other = a->Is(ValueKind::kNone) ? b : a;
      if (other->Is(ValueKind::kUnknown)) return Unknown();
      return Bool(!wanted);
    }
    if (a->Is(ValueKind::kString) && b->Is(ValueKind::kString)) {
      return Bool((a->text == b->text) == wanted);
    }
    if (a->Is(ValueKind::kExternal) && b->Is(ValueKind::kExternal)) {
      return Bool((a->text == b->text) == wanted);
    }
    if (a->Is(ValueKind::kSequence) && b->Is(ValueKind::kSequence) &&
        a->items.size() != b->items.size()) {
      return Bool(!wanted);
    }
    // Comparisons of sizes in asserts are assumed to hold (assumptions.cc); in conditions of
    // branches their result is unknown.
    if (op == "==" && (a->Is(ValueKind::kSize) || b->Is(ValueKind::kSize)) && weak_ == 0) {
      return Unknown();
    }
  }
  const auto x = AsNumber(a), y = AsNumber(b);
  if (x && y) {
    if (op == "==" || op == "is") return Bool(*x == *y);
    if (op == "!=" || op == "is not") return Bool(*x != *y);
    if (op == "<") return Bool(*x < *y);
    if (op == "<=") return Bool(*x <= *y);
    if (op == ">") return Bool(*x > *y);
    if (op == ">=") return Bool(*x >= *y);
  }
  if (op == "in" || op == "not in") {
    const bool wanted = op == "in";
    if (b->Is(ValueKind::kDictionary) && a->Is(ValueKind::kString)) {
      return Bool(b->attributes.contains(a->text) == wanted);
    }
    if (b->Is(ValueKind::kSequence)) {
      bool all_known = true;
      for (const KnownValue* item : b->items) {
        const KnownValue* same = Compare("==", a, const_cast<KnownValue*>(item));
        if (same->Is(ValueKind::kUnknown)) all_known = false;
        if (Truth(same).value_or(false)) return Bool(wanted);
      }
      if (all_known) return Bool(!wanted);
    }
  }
  return Unknown();
}

}  // namespace kernelmill
