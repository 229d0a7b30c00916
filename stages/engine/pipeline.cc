#include "stages/engine/pipeline.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
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

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

struct Parcel {
  std::unique_ptr<PipelineItem> item;
  std::int64_t number = 0;  // Position in the sequence.
  Status status;
};

// Debian's libtbb is not instrumented for ThreadSanitizer. These annotations tell it that the
// giver's writes happen before the taker's reads.
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

// A serial filter runs on changing threads. This tells ThreadSanitizer that its runs are ordered.
// `filter` identifies the filter.
class Turn {
 public:
  explicit Turn(void* filter) : filter_(filter) { TakeOver(filter_); }
  ~Turn() { HandOver(filter_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  void* filter_;
};

// Hands out lanes to threads, and reuses those that no thread is using.
class LanePool {
 public:
  explicit LanePool(Pipeline& pipeline) : pipeline_(pipeline) {}

  Result<std::unique_ptr<Lane>> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Lane> lane = std::move(idle_.back());
        idle_.pop_back();
        return lane;
      }
    }
    return pipeline_.OpenLane();
  }
  void Give(std::unique_ptr<Lane> lane) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(lane));
  }

 private:
  Pipeline& pipeline_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;
};

// The most items per job that are in progress or wait to be taken. It is large, so that one slow
// item does not block the others: if a limit selects one task in twenty, items with minutes of work
// are among items without any.
constexpr int kItemsPerJob = 64;

// The lowest number of an item that has failed so far.
class FirstFailure {
 public:
  void Note(std::int64_t number) {
    std::int64_t known = number_;
    while (number < known && !number_.compare_exchange_weak(known, number)) {
    }
  }
  bool Any() const { return number_ != kNone; }
  bool IsBefore(std::int64_t number) const { return number_ < number; }

 private:
  std::atomic<std::int64_t> number_ = kNone;
};

// A step's inputs as items.
class StepPipeline : public Pipeline {
 public:
  using Pull = std::function<Result<std::optional<Work>>()>;
  using Give = std::function<Status(const Work&, const Outcome&)>;
  StepPipeline(Step& step, const Pull& next, const Give& take)
      : step_(step), next_(next), take_(take) {}

  Result<std::unique_ptr<PipelineItem>> Next() override {
    KM_ASSIGN(std::optional<Work> work, next_());
    if (!work) return std::unique_ptr<PipelineItem>();
    auto item = std::make_unique<StepItem>();
    item->work = *std::move(work);
    return std::unique_ptr<PipelineItem>(std::move(item));
  }
  Result<std::unique_ptr<Lane>> OpenLane() override { return step_.OpenLane(); }
  Status Process(PipelineItem& item, Lane& lane) override {
    auto& own = static_cast<StepItem&>(item);
    KM_ASSIGN(own.outcome, step_.Process(own.work.input, lane));
    return Status::Ok();
  }
  Status Take(PipelineItem& item) override {
    const auto& own = static_cast<StepItem&>(item);
    return take_(own.work, own.outcome);
  }

 private:
  struct StepItem : PipelineItem {
    Work work;
    Outcome outcome;
  };

  Step& step_;
  const Pull& next_;
  const Give& take_;
};

}  // namespace

int ThreadsOf(int jobs) {
  return jobs > 0 ? jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Status RunInOrder(Pipeline& pipeline, int jobs) {
  using oneapi::tbb::filter_mode;
  jobs = ThreadsOf(jobs);
  LanePool lanes(pipeline);
  FirstFailure failure;
  std::int64_t count = 0;
  Status pulled, taken;  // The first error of Next() and of Take().
  const auto source = [&](oneapi::tbb::flow_control& control) -> Parcel* {
    std::unique_ptr<PipelineItem> item;
    if (!failure.Any() && pulled.ok()) {
      Result<std::unique_ptr<PipelineItem>> next = pipeline.Next();
      pulled = next.status();
      if (next.ok()) item = std::move(next).value();
    }
    if (!item) {
      control.stop();
      return nullptr;
    }
    return new Parcel{std::move(item), count++, {}};
  };
  const auto process = [&](Parcel* parcel) {
    if (failure.IsBefore(parcel->number)) return;
    Result<std::unique_ptr<Lane>> lane = lanes.Take();
    parcel->status = lane.ok() ? pipeline.Process(*parcel->item, **lane) : lane.status();
    if (lane.ok()) lanes.Give(std::move(lane).value());
    if (!parcel->status.ok()) failure.Note(parcel->number);
  };
  const auto sink = [&](Parcel* raw) {
    const std::unique_ptr<Parcel> parcel(raw);
    if (!taken.ok()) return;
    taken = parcel->status.ok() ? pipeline.Take(*parcel->item) : parcel->status;
    if (!taken.ok()) failure.Note(parcel->number);
  };

  // The filters take over, work, and hand over. TBB copies them without instrumentation, so
  // ThreadSanitizer must not check the filters themselves; it checks what they call.
  char at_source, at_sink;
  const auto source_filter =
      [&](oneapi::tbb::flow_control& control) KERNELMILL_UNCHECKED -> Parcel* {
    const Turn turn(&at_source);
    Parcel* parcel = source(control);
    if (parcel != nullptr) HandOver(parcel);
    return parcel;
  };
  const auto process_filter = [&](Parcel* parcel) KERNELMILL_UNCHECKED -> Parcel* {
    TakeOver(parcel);
    process(parcel);
    HandOver(parcel);
    return parcel;
  };
  const auto sink_filter = [&](Parcel* parcel) KERNELMILL_UNCHECKED {
    const Turn turn(&at_sink);
    TakeOver(parcel);
    sink(parcel);
  };
  const oneapi::tbb::global_control threads(oneapi::tbb::global_control::max_allowed_parallelism,
                                            static_cast<std::size_t>(jobs));
  oneapi::tbb::task_arena arena(jobs);
  HandOver(&at_source);
  HandOver(&at_sink);
  arena.execute([&] {
    oneapi::tbb::parallel_pipeline(
        static_cast<std::size_t>(kItemsPerJob * jobs),
        oneapi::tbb::make_filter<void, Parcel*>(filter_mode::serial_in_order, source_filter) &
            oneapi::tbb::make_filter<Parcel*, Parcel*>(filter_mode::parallel, process_filter) &
            oneapi::tbb::make_filter<Parcel*, void>(filter_mode::serial_in_order, sink_filter));
  });
  TakeOver(&at_source);
  TakeOver(&at_sink);
  return taken.ok() ? pulled : taken;
}

Status ProcessInOrder(Step& step, int jobs,
                      const std::function<Result<std::optional<Work>>()>& next,
                      const std::function<Status(const Work&, const Outcome&)>& take) {
  StepPipeline pipeline(step, next, take);
  return RunInOrder(pipeline, jobs);
}

}  // namespace kernelmill
