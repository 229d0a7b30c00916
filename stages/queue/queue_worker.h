// A worker of the queue, for the command `worker`: it takes keys of answers, and builds or judges
// the answers as `verify` does. Results are stored before a message is removed, so a worker may be
// killed at any time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "manifests/status.h"
#include "stages/queue/work_queue.h"

namespace kernelmill {

struct QueueWorkerOptions {
  WorkerPool pool = WorkerPool::kExecute;
  std::string url;  // As RedisAddress::Parse() takes it.
  // After this time another worker may take a message whose worker has ended.
  std::chrono::seconds lease{60};
  std::int64_t tries = 5;  // A message that was taken so often without a result is given up.
  // Ends the worker when no message has come for so long; 0: never.
  std::chrono::seconds idle{0};
  // Ends it when a server that has answered is gone for so long.
  std::chrono::seconds patience{600};
};

// Returns Ok after the idle time. kInterrupted when the program is asked to stop: what it was at
// work on is given back. kUnreachable if the server does not answer. Any other error is one of this
// machine, such as a sandbox that does not start, and no answer is to blame.
Status RunQueueWorker(const QueueWorkerOptions& options);

}  // namespace kernelmill
