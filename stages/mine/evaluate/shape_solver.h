// Solves for the sizes of dimensions: while the evaluator (evaluator.h) follows forward(),
// operators add equations between unknown sizes, and those that stay free are chosen at the end
// (stages/mine/input_sizes.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "corpora/records/mined_module.h"

namespace kernelmill {

using Dim = int;  // An unknown of a ShapeSolver.

class ShapeSolver {
 public:
  Dim Fresh();
  Dim Constant(std::int64_t value);
  // Adds a = b. A contradiction is counted and otherwise ignored.
  void Equate(Dim a, Dim b, Evidence evidence);
  // Adds product = a · b, or sum = a + constant.
  void AddProduct(Dim product, Dim a, Dim b);
  void AddSum(Dim sum, Dim a, std::int64_t constant);
  // Adds that `dim` is a multiple of `factor`.
  void AddFactor(Dim dim, std::int64_t factor);
  // Sets a free unknown. Returns false when the value contradicts the equations.
  bool Choose(Dim dim, std::int64_t value, Evidence evidence);

  std::optional<std::int64_t> KnownValue(Dim dim) const;
  // The evidence for the value; kName for a free unknown.
  Evidence EvidenceOf(Dim dim) const;
  std::int64_t FactorOf(Dim dim) const;
  bool Same(Dim a, Dim b) const { return Root(a) == Root(b); }
  // The factors of a dimension that is a product with a free factor; empty for other dimensions.
  std::vector<Dim> FreeFactors(Dim dim) const;
  int contradictions() const { return contradictions_; }

 private:
  struct Unknown {
    mutable Dim parent;  // Root() shortens the path.
    std::optional<std::int64_t> value;
    Evidence evidence = Evidence::kName;
    std::int64_t factor = 1;
  };
  struct Equation {
    bool product;  // Otherwise a sum.
    Dim result, a, b;
    std::int64_t constant;
  };
  Dim Root(Dim dim) const;
  bool Set(Dim dim, std::int64_t value, Evidence evidence);
  void Propagate();
  bool Apply(const Equation& equation);
  bool IsSettled(const Equation& equation) const;
  void Add(const Equation& equation);

  std::vector<Unknown> unknowns_;
  std::vector<Equation> equations_;
  std::vector<Equation> open_;  // The equations that can still determine something, in order.
  int contradictions_ = 0;
};

}  // namespace kernelmill
