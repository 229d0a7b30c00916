#include "stages/launch/manual_executor.h"

#include <chrono>

#include "stages/engine/interrupt.h"
#include "stages/launch/commit_watch.h"

namespace kernelmill {

Status ManualExecutor::Complete(const PlannedStep& step, Progress* progress) {
  constexpr std::chrono::milliseconds kLook{200};
  Say(step.plan.step + ": waiting for ranks: kernelmill step " + step.output + " " +
      step.plan.step + " --rank R --world W, for each R from 0 to W - 1");
  CommitWatch watch(step, progress);
  for (;;) {
    KM_ASSIGN(const std::vector<std::int64_t> missing, watch.Missing());
    if (missing.empty()) return Status::Ok();
    if (Pause(kLook) == Waited::kInterrupted) return InterruptedStatus();
  }
}

}  // namespace kernelmill
