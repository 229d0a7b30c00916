// Renews the lease of one message in a thread of its own, while the worker is at work on it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "stages/queue/work_queue.h"

namespace kernelmill {

class LeaseRenewal {
 public:
  // `queue` is for the thread alone as long as this lives.
  LeaseRenewal(WorkQueue* queue, WorkerPool pool, const QueuedMessage& message,
               std::chrono::milliseconds lease);
  ~LeaseRenewal();
  LeaseRenewal(const LeaseRenewal&) = delete;
  LeaseRenewal& operator=(const LeaseRenewal&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace kernelmill
