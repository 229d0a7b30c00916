// The executor of `verify --queue`: it publishes the keys of the answers to be judged, waits until
// each of them has its verdict, and does the partitions with the verdicts that the store has then.
// It judges nothing itself.
//
// The verdict store is all that it goes by. The queue may lose its memory, or be away for a time:
// the executor publishes again what has no verdict and is not in the queue.
#pragma once

#include <string>

#include "stages/engine/step_executor.h"
#include "stages/queue/work_queue.h"

namespace kernelmill {

class QueueExecutor : public StepExecutor {
 public:
  // Connects to the server of --queue. Errors as those of RedisAddress::Parse() and
  // RedisConnection::Open().
  static Result<QueueExecutor> Open(const std::string& url);

  // Answers that the workers gave up have the verdict "infra", and are named. Returns kInterrupted
  // when the program is asked to stop; the workers then go on with what they find in the queue.
  Status Complete(const PlannedStep& step, Progress* progress) override;

 private:
  QueueExecutor(std::string url, WorkQueue queue)
      : url_(std::move(url)), queue_(std::move(queue)) {}

  std::string url_;
  WorkQueue queue_;
};

}  // namespace kernelmill
