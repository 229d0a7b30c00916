// What is asked of generated tasks.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "corpora/operators/operator_row.h"
#include "manifests/status.h"

namespace kernelmill {

// 1 a single operator, 2 fused patterns, 3 blocks, 4 models.
inline constexpr int kLevels = 4;

struct CostTargets {
  struct Interval {
    double low = 0, high = std::numeric_limits<double>::infinity();
    bool Holds(double value) const { return value >= low && value <= high; }
  };
  // At large sizes, every operator by itself; intensity is floating-point operations a byte.
  Interval flops, bytes, intensity;

  // Reads "flops=1e9:1e11", "bytes=:1e9", "intensity=10:"; a bound that is left out is open.
  static Result<CostTargets> Read(const std::vector<std::string>& texts);
  bool Hold(const OperatorCost& cost) const;
};

struct SamplerOptions {
  std::uint64_t seed = 0;
  std::vector<int> levels = {1, 2, 3, 4};
  CostTargets targets;
  // At levels 1 and 2 every operator in turn, rather than by how often people use it.
  bool stratified = false;
  int operators = 0;  // Where positive, each graph is a chain of just so many, at any level.
};

// kUsage where there is none, or one that does not exist.
Status CheckLevels(const std::vector<int>& levels);

}  // namespace kernelmill
