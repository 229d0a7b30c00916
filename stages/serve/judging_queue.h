// The candidates that clients of `serve` wait for: a bounded queue, the lanes that judge them, and
// who waits for which. Equal jobs are judged once, also when one comes while the other is judged.
//
// Thread-safe. Callbacks run on threads of the queue, without a lock, and must not wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stages/serve/verify_request.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

// How waiting for a verdict ended.
enum class WaitEnd {
  kJudged,    // There is a verdict, or the Status of a failure of the host.
  kLate,      // The deadline has passed. If judging has begun, it goes on.
  kStopping,  // The queue stops, and judging had not begun.
};

class JudgingQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Judge = std::function<Result<JudgePool::Judged>(const VerifyRequest&)>;
  // `judged` only for kJudged. It is valid during the call.
  using Done = std::function<void(WaitEnd end, const Result<JudgePool::Judged>* judged)>;

  struct Options {
    int lanes = 1;
    std::size_t most_waiting = 1;  // Jobs that wait for a lane.
    // Makes the judge of a lane, on the thread of that lane.
    std::function<Judge()> open_lane;
  };
  struct Waiter {
    VerifyRequest request;
    Done done;
  };
  using Ticket = std::uint64_t;

  explicit JudgingQueue(Options options);
  ~JudgingQueue();  // Stop().

  // Adds all of them, or none if there is no room, or the queue stops. `done` of each is called
  // once, unless it is cancelled before, and maybe before this returns.
  std::optional<std::vector<Ticket>> Add(std::vector<Waiter> waiters);
  // The waiter is no longer called. A job that nobody waits for is not begun.
  void Cancel(const std::vector<Ticket>& tickets);

  // Ends the waiting of jobs that have not begun as kStopping, and waits until the others are
  // judged and answered. Add() refuses from then on.
  void Stop();

  struct Load {
    std::size_t waiting = 0, judging = 0;
    bool stopping = false;
    std::int64_t joined = 0;  // Waiters so far whose job was there before them.
    // When a refused client may try again: how long the waiting jobs will take.
    std::chrono::seconds retry_after{1};
  };
  Load load() const;

 private:
  struct Job;
  struct Waiting {
    std::shared_ptr<Job> job;
    Done done;
    Clock::time_point deadline;
  };
  // A job with its waiters, until it is judged or nobody waits for it.
  struct Job {
    VerifyRequest request;
    std::string identity;
    std::list<Ticket> waiters;
    bool has_begun = false;
  };

  void RunLane();
  void WatchDeadlines();
  // The next job for a lane: of the same reference as its last one if there is one, because that
  // does not run again then, but not always, so that all jobs get their turn. Nothing at the end.
  std::shared_ptr<Job> Take(const std::string& reference, bool prefers_reference);
  std::chrono::seconds RetryAfter() const;
  // Removes a waiter, and its job if it was the last and the job has not begun. With the lock held.
  std::optional<Waiting> Remove(Ticket ticket);

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;   // For lanes.
  std::condition_variable deadline_;  // For WatchDeadlines().
  std::list<std::shared_ptr<Job>> queue_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;  // By identity: waiting or judged.
  std::map<Ticket, Waiting> waiting_;
  std::multimap<Clock::time_point, Ticket> deadlines_;
  Ticket next_ticket_ = 1;
  std::size_t judging_ = 0;
  std::int64_t joined_ = 0;
  double seconds_of_job_ = 1;  // A running mean.
  bool stopping_ = false;
  bool ended_ = false;  // Nothing is judged any more.
  std::vector<std::thread> lanes_;
  std::thread watch_;
};

}  // namespace kernelmill
