#include "stages/queue/lease_renewal.h"

namespace kernelmill {

LeaseRenewal::LeaseRenewal(WorkQueue* queue, WorkerPool pool, const QueuedMessage& message,
                           std::chrono::milliseconds lease)
    : thread_([this, queue, pool, message, lease] {
        std::unique_lock lock(mutex_);
        while (!end_.wait_for(lock, lease / 3, [this] { return ended_; })) {
          lock.unlock();
          // What cannot be renewed now is renewed the next time, or done twice.
          (void)queue->Renew(pool, message);
          lock.lock();
        }
      }) {}

LeaseRenewal::~LeaseRenewal() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  thread_.join();
}

}  // namespace kernelmill
