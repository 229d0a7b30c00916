// Sizes of dimensions as unknowns: what operators say about them is collected as equations, and
// whatever stays free is chosen at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "corpora/records/module_candidate.h"

namespace kernelmill {

using Dim = int;  // An unknown of a ShapeSolver.

class ShapeSolver {
 public:
  Dim Fresh();
  Dim Constant(std::int64_t value);
  // a = b. A contradiction is counted and otherwise ignored.
  void Equate(Dim a, Dim b, Evidence evidence);
  // product = a · b, sum = a + constant.
  void AddProduct(Dim product, Dim a, Dim b);
  void AddSum(Dim sum, Dim a, std::int64_t constant);
  // `dim` is a multiple of `factor`.
  void AddFactor(Dim dim, std::int64_t factor);
  // Sets a free unknown; false when the value contradicts what is known.
  bool Choose(Dim dim, std::int64_t value, Evidence evidence);

  std::optional<std::int64_t> KnownValue(Dim dim) const;
  // What told the value; of a free unknown kName.
  Evidence EvidenceOf(Dim dim) const;
  std::int64_t FactorOf(Dim dim) const;
  bool Same(Dim a, Dim b) const { return Root(a) == Root(b); }
  // The factors of a dimension that is a product with a free factor; empty when it is none.
  std::vector<Dim> FreeFactors(Dim dim) const;
  int contradictions() const { return contradictions_; }

 private:
  struct Unknown {
    mutable Dim parent;  // Root() shortens the way.
    std::optional<std::int64_t> value;
    Evidence evidence = Evidence::kName;
    std::int64_t factor = 1;
  };
  struct Equation {
    bool product;  // Else a sum.
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
  std::vector<Equation> open_;  // Those of equations_ that may still tell something, in order.
  int contradictions_ = 0;
};

}  // namespace kernelmill
