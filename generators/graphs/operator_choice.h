// Draws rows of the operator table by weight: the first operator of a graph, and further ones.
// Whether a further operator fits its place, GraphSampler decides.
#pragma once

#include <cstdint>
#include <vector>

#include "corpora/operators/operator_row.h"

namespace kernelmill {

class OperatorChoice {
 public:
  OperatorChoice();

  // Any row that is drawn at all, as the only operator of a task. Rare rows are drawn more often
  // than their weight says.
  const OperatorRow& Single(Draw* draw) const { return Pick(singles_, draw); }
  // These rows in turn.
  const OperatorRow& Nth(std::uint64_t index) const {
    return *singles_.rows[index % singles_.rows.size()];
  }
  // The first operator of a fused pattern: mostly matrix products and convolutions.
  const OperatorRow& Anchor(Draw* draw) const { return Pick(anchors_, draw); }
  // A further operator of a pattern: activations, arithmetic, norms, reductions.
  const OperatorRow& Follower(Draw* draw) const { return Pick(followers_, draw); }

 private:
  struct Weighted {
    std::vector<const OperatorRow*> rows;
    std::vector<double> up_to;  // Cumulative weights.
  };
  static void Add(const OperatorRow& row, double weight, Weighted* weighted);
  static const OperatorRow& Pick(const Weighted& weighted, Draw* draw);

  Weighted singles_, anchors_, followers_;
};

}  // namespace kernelmill
