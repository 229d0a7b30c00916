// The options of generated tasks: which levels, how much work (FLOPs, bytes and their ratio), and
// how operators are chosen. The step "generate" and `kernelmill answer` read them from the
// configuration and the command line, and GraphSampler follows them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "corpora/operators/operator_row.h"
#include "manifests/status.h"

namespace kernelmill {

// Level 1: a single operator. 2: a fused pattern. 3: one or two blocks. 4: a model.
inline constexpr int kLevels = 4;

struct CostTargets {
  struct Interval {
    double low = 0, high = std::numeric_limits<double>::infinity();
    bool Holds(double value) const { return value >= low && value <= high; }
  };
  // At large sizes, without fusion. Intensity is floating-point operations per byte.
  Interval flops, bytes, intensity;

  // Reads "flops=1e9:1e11", "bytes=:1e9", "intensity=10:"; an omitted bound is open.
  static Result<CostTargets> Read(const std::vector<std::string>& texts);
  bool Hold(const OperatorCost& cost) const;
};

struct SamplerOptions {
  std::uint64_t seed = 0;
  std::vector<int> levels = {1, 2, 3, 4};
  CostTargets targets;
  // At levels 1 and 2, take the operators in turn instead of by how often people use them.
  bool stratified = false;
  // If positive, each graph is a chain of exactly so many operators, at any level.
  int operators = 0;
};

// kUsage when the list is empty or has an unknown level.
Status CheckLevels(const std::vector<int>& levels);

}  // namespace kernelmill
