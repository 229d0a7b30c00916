// The executor of --queue, for the step "verify" of the commands `verify` and `rft`: it publishes
// the keys of the answers to be judged, waits until each of them has its verdict, and does the
// partitions with the verdicts that the store has then. It judges nothing itself.
//
// The verdict store is all that it goes by. The queue may lose its memory, or be away for a time:
// the executor publishes again what has no verdict and is not in the queue.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "stages/engine/step_executor.h"
#include "stages/queue/work_queue.h"

namespace kernelmill {

class QueueExecutor : public StepExecutor {
 public:
  // Connects to the server of --queue. `others` is the executor of the other steps, or null: the
  // process that leads the run does them. Errors as those of RedisAddress::Parse() and
  // RedisConnection::Open().
  static Result<QueueExecutor> Open(const std::string& url, std::unique_ptr<StepExecutor> others);

  bool Takes(std::string_view step) const override;
  // Answers that the workers gave up have the verdict "infra", and are named. Returns kInterrupted
  // when the program is asked to stop; the workers then go on with what they find in the queue.
  Status Complete(const PlannedStep& step, Progress* progress) override;

 private:
  QueueExecutor(std::string url, WorkQueue queue, std::unique_ptr<StepExecutor> others)
      : url_(std::move(url)), queue_(std::move(queue)), others_(std::move(others)) {}

  std::string url_;
  WorkQueue queue_;
  std::unique_ptr<StepExecutor> others_;
};

}  // namespace kernelmill
