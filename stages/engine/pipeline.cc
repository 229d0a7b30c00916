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
#define KERNELMILL_UNCHECKED __attribute__((no_sanitize("thread")))
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif
#endif
#ifndef KERNELMILL_UNCHECKED
#define KERNELMILL_UNCHECKED
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

// A serial filter runs now on this thread, now on that: what it did last happens before what it
// does next. `filter` stands for the filter.
class Turn {
 public:
  explicit Turn(void* filter) : filter_(filter) { TakeOver(filter_); }
  ~Turn() { HandOver(filter_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  void* filter_;
};

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

// In work or waiting for their turn to be taken, so that one slow item does not hold up the others.
constexpr int kItemsPerJob = 16;

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
    return new Item{*std::move(work), {}};
  };
  const auto process = [&](Item* item) {
    if (!error.Any()) {
      Result<std::unique_ptr<Lane>> lane = lanes.Take();
      if (!error.Keep(lane.status())) {
        Result<Outcome> outcome = step.Process(item->work.input, **lane);
        if (!error.Keep(outcome.status())) item->outcome = std::move(outcome).value();
        lanes.Give(std::move(lane).value());
      }
    }
  };
  const auto sink = [&](Item* raw) {
    const std::unique_ptr<Item> item(raw);
    // After an error outcomes may be empty: nothing more is taken.
    if (!error.Any()) error.Keep(take(item->work, item->outcome));
  };

  // The filters themselves: they take over, work and hand over. TBB copies them, unseen, so that
  // they alone must not be checked; what they call is.
  char at_source, at_sink;
  const auto source_filter = [&](oneapi::tbb::flow_control& control) KERNELMILL_UNCHECKED -> Item* {
    const Turn turn(&at_source);
    Item* item = source(control);
    if (item != nullptr) HandOver(item);
    return item;
  };
  const auto process_filter = [&](Item* item) KERNELMILL_UNCHECKED -> Item* {
    TakeOver(item);
    process(item);
    HandOver(item);
    return item;
  };
  const auto sink_filter = [&](Item* item) KERNELMILL_UNCHECKED {
    const Turn turn(&at_sink);
    TakeOver(item);
    sink(item);
  };
  const oneapi::tbb::global_control threads(oneapi::tbb::global_control::max_allowed_parallelism,
                                            static_cast<std::size_t>(jobs));
  oneapi::tbb::task_arena arena(jobs);
  HandOver(&at_source);
  HandOver(&at_sink);
  arena.execute([&] {
    oneapi::tbb::parallel_pipeline(
        static_cast<std::size_t>(kItemsPerJob * jobs),
        oneapi::tbb::make_filter<void, Item*>(filter_mode::serial_in_order, source_filter) &
            oneapi::tbb::make_filter<Item*, Item*>(filter_mode::parallel, process_filter) &
            oneapi::tbb::make_filter<Item*, void>(filter_mode::serial_in_order, sink_filter));
  });
  TakeOver(&at_source);
  TakeOver(&at_sink);
  return error.Get();
}

}  // namespace kernelmill
