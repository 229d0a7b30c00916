#include "stages/mine/evaluate/shape_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernelmill {
namespace {

// The largest size: the product of two fits into 64 bits.
constexpr std::int64_t kLargest = std::int64_t{1} << 31;

}  // namespace

Dim ShapeSolver::Fresh() {
  const Dim dim = static_cast<Dim>(unknowns_.size());
  unknowns_.push_back({dim, std::nullopt});
  return dim;
}

Dim ShapeSolver::Constant(std::int64_t value) {
  const Dim dim = Fresh();
  unknowns_[dim].value = value;
  return dim;
}

Dim ShapeSolver::Root(Dim dim) const {
  while (unknowns_[dim].parent != dim) {
    unknowns_[dim].parent = unknowns_[unknowns_[dim].parent].parent;
    dim = unknowns_[dim].parent;
  }
  return dim;
}

std::optional<std::int64_t> ShapeSolver::KnownValue(Dim dim) const {
  return unknowns_[Root(dim)].value;
}
Evidence ShapeSolver::EvidenceOf(Dim dim) const { return unknowns_[Root(dim)].evidence; }
std::int64_t ShapeSolver::FactorOf(Dim dim) const { return unknowns_[Root(dim)].factor; }

bool ShapeSolver::Set(Dim dim, std::int64_t value, Evidence evidence) {
  Unknown& unknown = unknowns_[Root(dim)];
  if (unknown.value) {
    if (*unknown.value == value) return false;
    ++contradictions_;
    return false;
  }
  if (value <= 0 || value >= kLargest || value % unknown.factor != 0) {
    ++contradictions_;
    return false;
  }
  unknown.value = value;
  unknown.evidence = evidence;
  return true;
}

bool ShapeSolver::Choose(Dim dim, std::int64_t value, Evidence evidence) {
  const int before = contradictions_;
  Set(dim, value, evidence);
  Propagate();
  return contradictions_ == before;
}

void ShapeSolver::Equate(Dim a, Dim b, Evidence evidence) {
  a = Root(a);
  b = Root(b);
  if (a == b) return;
  Unknown& first = unknowns_[a];
  Unknown& second = unknowns_[b];
  if (first.value && second.value) {
    if (*first.value != *second.value) ++contradictions_;
    return;
  }
  if (second.value) {
    Set(a, *second.value, evidence);
  } else if (first.value) {
    Set(b, *first.value, evidence);
  } else {
    // The older unknown represents both: those of inputs are created first.
    const Dim kept = std::min(a, b), gone = std::max(a, b);
    unknowns_[gone].parent = kept;
    unknowns_[kept].factor = std::lcm(unknowns_[kept].factor, unknowns_[gone].factor);
    if (unknowns_[kept].factor > kLargest) unknowns_[kept].factor = 1;
  }
  Propagate();
}

void ShapeSolver::AddProduct(Dim product, Dim a, Dim b) { Add({true, product, a, b, 0}); }

void ShapeSolver::AddSum(Dim sum, Dim a, std::int64_t constant) {
  Add({false, sum, a, a, constant});
}

void ShapeSolver::AddFactor(Dim dim, std::int64_t factor) {
  if (factor <= 1 || factor >= kLargest) return;
  Unknown& unknown = unknowns_[Root(dim)];
  if (unknown.value) {
    if (*unknown.value % factor != 0) ++contradictions_;
    return;
  }
  const std::int64_t both = std::lcm(unknown.factor, factor);
  if (both < kLargest) unknown.factor = both;
}

bool ShapeSolver::Apply(const Equation& equation) {
  const auto result = KnownValue(equation.result), a = KnownValue(equation.a),
             b = KnownValue(equation.b);
  if (!equation.product) {
    if (a && !result) return Set(equation.result, *a + equation.constant, EvidenceOf(equation.a));
    if (result && !a)
      return Set(equation.a, *result - equation.constant, EvidenceOf(equation.result));
    return false;
  }
  if (a && b) return result ? false : Set(equation.result, *a * *b, EvidenceOf(equation.a));
  if (result && Same(equation.a, equation.b)) {
    const auto root = static_cast<std::int64_t>(std::llround(std::sqrt(*result)));
    if (root * root != *result) {
      ++contradictions_;
      return false;
    }
    return Set(equation.a, root, EvidenceOf(equation.result));
  }
  if (!a && !b) return false;
  const Dim known = a ? equation.a : equation.b, other = a ? equation.b : equation.a;
  const std::int64_t factor = *KnownValue(known);
  if (factor <= 0) return false;
  if (!result) {
    const std::int64_t before = FactorOf(equation.result);
    AddFactor(equation.result, factor * FactorOf(other));
    return FactorOf(equation.result) != before;
  }
  if (*result % factor != 0) {
    ++contradictions_;
    return false;
  }
  return Set(other, *result / factor, EvidenceOf(equation.result));
}

void ShapeSolver::Add(const Equation& equation) {
  equations_.push_back(equation);
  open_.push_back(equation);
  Propagate();
}

bool ShapeSolver::IsSettled(const Equation& equation) const {
  return KnownValue(equation.result) && KnownValue(equation.a) && KnownValue(equation.b);
}

void ShapeSolver::Propagate() {
  constexpr int kMostRounds = 64;
  for (int round = 0; round < kMostRounds; ++round) {
    bool changed = false;
    const int before = contradictions_;
    for (const Equation& equation : open_) changed |= Apply(equation);
    std::erase_if(open_, [this](const Equation& equation) { return IsSettled(equation); });
    // Every round finds the same contradiction again, so it counts only once.
    if (!changed) {
      contradictions_ = std::min(contradictions_, before + 1);
      return;
    }
  }
}

std::vector<Dim> ShapeSolver::FreeFactors(Dim dim) const {
  for (const Equation& equation : equations_) {
    if (!equation.product || !Same(equation.result, dim)) continue;
    std::vector<Dim> free;
    if (!KnownValue(equation.a)) free.push_back(equation.a);
    if (!KnownValue(equation.b) && !Same(equation.a, equation.b)) free.push_back(equation.b);
    return free;
  }
  return {};
}

}  // namespace kernelmill
