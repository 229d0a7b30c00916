// The executor "manual": it says which command does a step, and waits until others have run it, by
// hand or as a job of a cluster that this program does not know.
#pragma once

#include "stages/engine/step_executor.h"

namespace kernelmill {

class ManualExecutor : public StepExecutor {
 public:
  Status Complete(const PlannedStep& step, Progress* progress) override;
};

}  // namespace kernelmill
