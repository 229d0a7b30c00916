// The loop that bench/queued_workers.py times:
//   queue_loops URL WORKERS SECONDS
// So many workers of a queue, half of each pool, whose work is to sleep: each is a thread that
// takes a message from the Redis server, renews its lease as a worker does, sleeps for a drawn
// time, and hands it on or removes it. Prints one JSON object: the share of the time that the
// workers slept, the messages that were done, and the mean sleep in seconds.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "stages/queue/lease_renewal.h"
#include "stages/queue/work_queue.h"

namespace kernelmill {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr char kName[] = "kernelmill:bench";
constexpr std::chrono::seconds kLease{60};
// Building and judging an answer take a second to ten, rarely more or less (bench/README.md).
constexpr double kLeastSeconds = 1, kMostSeconds = 10;
// How many messages a worker might do in the time, so that none waits for the other pool.
constexpr double kEnough = 1.5;

double MeanSeconds() {
  return (kMostSeconds - kLeastSeconds) / std::log(kMostSeconds / kLeastSeconds);
}

WorkQueueOptions OptionsFor(const RedisAddress& address, const std::string& worker) {
  return {.address = address, .name = kName, .worker = worker, .lease = kLease};
}

// What all workers have done until the end.
struct Sums {
  std::atomic<std::int64_t> slept{0};  // Nanoseconds.
  std::atomic<std::int64_t> done{0};
};

Status Work(WorkerPool pool, WorkQueue& queue, WorkQueue& renewals, std::uint64_t seed,
            Clock::time_point end, Sums* sums) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> logarithm(std::log(kLeastSeconds), std::log(kMostSeconds));
  while (Clock::now() < end) {
    KM_ASSIGN(const std::optional<QueuedMessage> message, queue.Take(pool));
    if (!message) continue;
    {
      const LeaseRenewal renewal(&renewals, pool, *message, kLease);
      const Clock::time_point begun = Clock::now();
      const auto time = std::chrono::duration_cast<nanoseconds>(
          std::chrono::duration<double>(std::exp(logarithm(random))));
      std::this_thread::sleep_until(std::min(begun + time, end));
      // Sleeping too long is no work.
      sums->slept += std::max<std::int64_t>(std::min<nanoseconds>(time, end - begun).count(), 0);
    }
    KM_RETURN_IF_ERROR(pool == WorkerPool::kCompile ? queue.HandOn(*message)
                                                    : queue.Finish(pool, *message));
    ++sums->done;
  }
  return Status::Ok();
}

Status Run(const std::string& url, int workers, double seconds) {
  KM_ASSIGN(const RedisAddress address, RedisAddress::Parse(url));
  KM_ASSIGN(WorkQueue leader, WorkQueue::Open(OptionsFor(address, "leader")));
  const auto each = static_cast<std::int64_t>(kEnough * workers * seconds / MeanSeconds() / 2);
  for (int half = 0; half < 2; ++half) {
    std::vector<AnswerKey> keys;
    for (std::int64_t i = 0; i < each; ++i) {
      keys.push_back({.run = "/bench", .plan = "0", .input = i, .place = std::to_string(i)});
    }
    KM_RETURN_IF_ERROR(leader.Publish(keys));
    // The first half is for the second pool.
    for (std::int64_t left = half == 0 ? each : 0; left > 0;) {
      KM_ASSIGN(const std::optional<QueuedMessage> message, leader.Take(WorkerPool::kCompile));
      if (!message) continue;
      KM_RETURN_IF_ERROR(leader.HandOn(*message));
      --left;
    }
  }
  std::vector<std::pair<WorkQueue, WorkQueue>> queues;
  for (int i = 0; i < workers; ++i) {
    const WorkQueueOptions options = OptionsFor(address, "worker/" + std::to_string(i) + "/0");
    KM_ASSIGN(WorkQueue queue, WorkQueue::Open(options));
    KM_ASSIGN(WorkQueue renewals, WorkQueue::Open(options));
    queues.emplace_back(std::move(queue), std::move(renewals));
  }
  Sums sums;
  std::vector<Status> ends(queues.size());
  std::vector<std::thread> threads;
  std::latch all_here(workers + 1);
  Clock::time_point end;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    threads.emplace_back([&, i] {
      const WorkerPool pool = i % 2 == 0 ? WorkerPool::kCompile : WorkerPool::kExecute;
      all_here.arrive_and_wait();
      ends[i] = Work(pool, queues[i].first, queues[i].second, i, end, &sums);
    });
  }
  end = Clock::now() +
        std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(seconds));
  all_here.arrive_and_wait();
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : ends) KM_RETURN_IF_ERROR(status);
  std::printf("{\"busy\": %.4f, \"done\": %lld, \"mean_seconds\": %.3f}\n",
              1e-9 * static_cast<double>(sums.slept) / (workers * seconds),
              static_cast<long long>(sums.done), MeanSeconds());
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: queue_loops URL WORKERS SECONDS\n");
    return 1;
  }
  const kernelmill::Status status =
      kernelmill::Run(arguments[1], std::atoi(arguments[2]), std::atof(arguments[3]));
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
