#include "stages/queue/lease_renewal.h"

#include <algorithm>

namespace kernelmill {
namespace {

// Often enough for workers that were started with a shorter lease than this one.
constexpr std::chrono::milliseconds kMostBetween{1000};

}  // namespace

LeaseRenewal::LeaseRenewal(WorkQueue* queue, WorkerPool pool, const QueuedMessage& message,
                           std::chrono::milliseconds lease)
    : thread_([this, queue, pool, message, lease] {
        std::unique_lock lock(mutex_);
        while (!end_.wait_for(lock, std::min(lease / 3, kMostBetween), [this] { return ended_; })) {
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
