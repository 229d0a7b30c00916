// Where the partitions of a step are done. Without an executor Run::Do() does them in its own
// process; the executors of stages/launch/ have them done by others. Whoever does them, Do()
// freezes the plan before and checks every manifest afterwards.
#pragma once

#include <string>
#include <string_view>

#include "manifests/plan.h"
#include "stages/engine/progress.h"

namespace kernelmill {

// A step whose plan is frozen.
struct PlannedStep {
  const Plan& plan;
  std::string output;  // RunOptions::output.
  std::string folder;  // With the plan and the manifests.
};

class StepExecutor {
 public:
  virtual ~StepExecutor() = default;
  // Whether it has the partitions of this step done; Run::Do() does those of the other steps.
  virtual bool Takes(std::string_view) const { return true; }
  // Returns when every partition has its manifest. It may be called for a step that other processes
  // are working on already.
  virtual Status Complete(const PlannedStep& step, Progress* progress) = 0;
};

}  // namespace kernelmill
