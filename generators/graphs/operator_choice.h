// Which operator comes next: rows by weight, within what a place in a graph asks for.
#pragma once

#include <cstdint>
#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

class OperatorChoice {
 public:
  OperatorChoice();

  // Any row, the rare ones more often than they are: what a task of one operator is about.
  const OperatorRow& Single(Draw* draw) const { return Pick(singles_, draw); }
  // All of those, one after another.
  const OperatorRow& Nth(std::uint64_t index) const {
    return *singles_.rows[index % singles_.rows.size()];
  }
  // What a fused pattern begins with: products and convolutions mostly.
  const OperatorRow& Anchor(Draw* draw) const { return Pick(anchors_, draw); }
  // What follows: activations, arithmetic, norms, reductions.
  const OperatorRow& Follower(Draw* draw) const { return Pick(followers_, draw); }

 private:
  struct Weighted {
    std::vector<const OperatorRow*> rows;
    std::vector<double> up_to;  // Sums of weights.
  };
  static void Add(const OperatorRow& row, double weight, Weighted* weighted);
  static const OperatorRow& Pick(const Weighted& weighted, Draw* draw);

  Weighted singles_, anchors_, followers_;
};

}  // namespace kernelmill
