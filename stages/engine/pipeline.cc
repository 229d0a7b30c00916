#include "stages/engine/pipeline.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <mutex>
#include <optional>
#include <vector>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KERNELMILL_TSAN 1
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif
#endif

namespace kernelmill {
namespace {

struct Item {
  Work work;
  Outcome outcome;
};

// ThreadSanitizer cannot see inside Debian's libtbb, which is not instrumented: say by hand that
// what the giver wrote happens before what the taker reads.
void HandOver([[maybe_unused]] void* item) {
#ifdef KERNELMILL_TSAN
  __tsan_release(item);
#endif
}
void TakeOver([[maybe_unused]] void* item) {
#ifdef KERNELMILL_TSAN
  __tsan_acquire(item);
#endif
}

// The lanes that no thread is using now.
class LanePool {
 public:
  explicit LanePool(Step& step) : step_(step) {}

  Result<std::unique_ptr<Lane>> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Lane> lane = std::move(idle_.back());
        idle_.pop_back();
        return lane;
      }
    }
    return step_.OpenLane();
  }
  void Give(std::unique_ptr<Lane> lane) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(lane));
  }

 private:
  Step& step_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;
};

class FirstError {
 public:
  // Keeps the first error; returns false for ok.
  bool Keep(const Status& status) {
    if (status.ok()) return false;
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
    return true;
  }
  bool Any() {
    const std::lock_guard lock(mutex_);
    return !status_.ok();
  }
  Status Get() {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  std::mutex mutex_;
  Status status_;
};

}  // namespace

Status ProcessInOrder(Step& step, int jobs,
                      const std::function<Result<std::optional<Work>>()>& next,
                      const std::function<Status(const Work&, const Outcome&)>& take) {
  using oneapi::tbb::filter_mode;
  LanePool lanes(step);
  FirstError error;
  const auto source = [&](oneapi::tbb::flow_control& control) -> Item* {
    std::optional<Work> work;
    if (!error.Any()) {
      Result<std::optional<Work>> pulled = next();
      if (!error.Keep(pulled.status())) work = std::move(pulled).value();
    }
    if (!work) {
      control.stop();
      return nullptr;
    }
    auto* item = new Item{*std::move(work), {}};
    HandOver(item);
    return item;
  };
  const auto process = [&](Item* item) -> Item* {
    TakeOver(item);
    if (!error.Any()) {
      Result<std::unique_ptr<Lane>> lane = lanes.Take();
      if (!error.Keep(lane.status())) {
        Result<Outcome> outcome = step.Process(item->work.input, **lane);
        if (!error.Keep(outcome.status())) item->outcome = std::move(outcome).value();
        lanes.Give(std::move(lane).value());
      }
    }
    HandOver(item);
    return item;
  };
  const auto sink = [&](Item* raw) {
    TakeOver(raw);
    const std::unique_ptr<Item> item(raw);
    // After an error outcomes may be empty: nothing more is taken.
    if (!error.Any()) error.Keep(take(item->work, item->outcome));
  };
  const oneapi::tbb::global_control threads(
      oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(jobs));
  oneapi::tbb::task_arena arena(jobs);
  arena.execute([&] {
    oneapi::tbb::parallel_pipeline(
        static_cast<std::size_t>(4 * jobs),
        oneapi::tbb::make_filter<void, Item*>(filter_mode::serial_in_order, source) &
            oneapi::tbb::make_filter<Item*, Item*>(filter_mode::parallel, process) &
            oneapi::tbb::make_filter<Item*, void>(filter_mode::serial_in_order, sink));
  });
  return error.Get();
}

}  // namespace kernelmill
