#include "stages/serve/judging_queue.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace kernelmill {
namespace {

// How many jobs of one reference a lane judges in a row while others wait.
constexpr int kMostInARow = 16;

// The standard library throws when the machine is short of memory or threads.
Result<JudgePool::Judged> Judged(const JudgingQueue::Judge& judge, const VerifyRequest& request) {
  try {
    return judge(request);
  } catch (const std::exception& error) {
    return Status(ErrorCode::kWorker, error.what());
  }
}

}  // namespace

JudgingQueue::JudgingQueue(Options options) : options_(std::move(options)) {
  for (int i = 0; i < options_.lanes; ++i) lanes_.emplace_back([this] { RunLane(); });
  watch_ = std::thread([this] { WatchDeadlines(); });
}

JudgingQueue::~JudgingQueue() { Stop(); }

std::optional<std::vector<JudgingQueue::Ticket>> JudgingQueue::Add(std::vector<Waiter> waiters) {
  std::vector<std::string> identities;
  for (const Waiter& waiter : waiters) identities.push_back(waiter.request.Identity());
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(mutex_);
  std::vector<std::string> added;
  for (const std::string& identity : identities) {
    if (!jobs_.contains(identity)) added.push_back(identity);
  }
  std::sort(added.begin(), added.end());
  added.erase(std::unique(added.begin(), added.end()), added.end());
  if (stopping_ || queue_.size() + added.size() > options_.most_waiting) return std::nullopt;
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    std::shared_ptr<Job>& job = jobs_[identities[i]];
    const Clock::time_point deadline = now + waiters[i].request.deadline;
    if (job == nullptr) {
      job = std::make_shared<Job>();
      job->request = std::move(waiters[i].request);
      job->identity = identities[i];
      queue_.push_back(job);
    } else {
      ++joined_;
    }
    const Ticket ticket = next_ticket_++;
    job->waiters.push_back(ticket);
    waiting_.emplace(ticket, Waiting{job, std::move(waiters[i].done), deadline});
    deadlines_.emplace(deadline, ticket);
    tickets.push_back(ticket);
  }
  changed_.notify_all();
  deadline_.notify_one();
  return tickets;
}

std::optional<JudgingQueue::Waiting> JudgingQueue::Remove(Ticket ticket) {
  const auto found = waiting_.find(ticket);
  if (found == waiting_.end()) return std::nullopt;
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  const auto [first, last] = deadlines_.equal_range(waiting.deadline);
  deadlines_.erase(std::find_if(first, last, [&](const auto& at) { return at.second == ticket; }));
  waiting.job->waiters.remove(ticket);
  if (waiting.job->waiters.empty() && !waiting.job->has_begun) {
    queue_.remove(waiting.job);
    jobs_.erase(waiting.job->identity);
  }
  return waiting;
}

void JudgingQueue::Cancel(const std::vector<Ticket>& tickets) {
  const std::lock_guard lock(mutex_);
  for (const Ticket ticket : tickets) Remove(ticket);
}

void JudgingQueue::Stop() {
  std::vector<Waiting> refused;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    while (!queue_.empty()) {
      // Removing the last waiter removes the job.
      if (auto waiting = Remove(queue_.front()->waiters.front())) {
        refused.push_back(std::move(*waiting));
      }
    }
    changed_.notify_all();
  }
  for (const Waiting& waiting : refused) waiting.done(WaitEnd::kStopping, nullptr);
  for (std::thread& lane : lanes_) {
    if (lane.joinable()) lane.join();
  }
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    deadline_.notify_one();
  }
  if (watch_.joinable()) watch_.join();
}

std::shared_ptr<JudgingQueue::Job> JudgingQueue::Take(const std::string& reference,
                                                      bool prefers_reference) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  if (queue_.empty()) return nullptr;
  auto next = queue_.begin();
  if (prefers_reference) {
    const auto same = std::find_if(queue_.begin(), queue_.end(), [&](const auto& job) {
      return job->request.reference == reference;
    });
    if (same != queue_.end()) next = same;
  }
  std::shared_ptr<Job> job = *next;
  queue_.erase(next);
  job->has_begun = true;
  ++judging_;
  return job;
}

void JudgingQueue::RunLane() {
  const Judge judge = options_.open_lane();
  std::string reference;
  int in_a_row = 0;
  while (const std::shared_ptr<Job> job = Take(reference, in_a_row < kMostInARow)) {
    in_a_row = job->request.reference == reference ? in_a_row + 1 : 0;
    reference = job->request.reference;
    const Clock::time_point begun = Clock::now();
    const Result<JudgePool::Judged> judged = Judged(judge, job->request);
    const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    std::vector<Waiting> answered;
    {
      const std::lock_guard lock(mutex_);
      constexpr double kWeight = 0.2;  // Of the last job in the mean.
      seconds_of_job_ += kWeight * (seconds - seconds_of_job_);
      --judging_;
      jobs_.erase(job->identity);
      const std::list<Ticket> waiters = job->waiters;
      for (const Ticket ticket : waiters) {
        if (auto waiting = Remove(ticket)) answered.push_back(std::move(*waiting));
      }
    }
    for (const Waiting& waiting : answered) waiting.done(WaitEnd::kJudged, &judged);
  }
}

void JudgingQueue::WatchDeadlines() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (deadlines_.empty()) {
      deadline_.wait(lock);
      continue;
    }
    const auto [time, ticket] = *deadlines_.begin();
    if (Clock::now() < time) {
      deadline_.wait_until(lock, time);
      continue;
    }
    const std::optional<Waiting> late = Remove(ticket);
    lock.unlock();
    if (late) late->done(WaitEnd::kLate, nullptr);
    lock.lock();
  }
}

std::chrono::seconds JudgingQueue::RetryAfter() const {
  constexpr double kLeast = 1, kMost = 60;
  const double seconds =
      seconds_of_job_ * static_cast<double>(queue_.size()) / static_cast<double>(options_.lanes);
  return std::chrono::seconds(std::llround(std::clamp(std::ceil(seconds), kLeast, kMost)));
}

JudgingQueue::Load JudgingQueue::load() const {
  const std::lock_guard lock(mutex_);
  return {queue_.size(), judging_, stopping_, joined_, RetryAfter()};
}

}  // namespace kernelmill
