// The queue between the command that leads a run and the workers that build and run answers: one
// stream of Redis for each pool of workers. It holds keys only. What is done is in the verdict
// store, so the server may lose everything at any time: who leads the run publishes again what is
// missing.
//
// A worker takes a message under a lease. Of one that nobody has renewed for the time of a lease,
// the next worker takes it again (XPENDING, XCLAIM). A message is removed only when its work is
// done and stored, or handed on, in one transaction: it may be done twice, and is never lost.
//
// Not thread-safe: each thread has a queue of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/status.h"
#include "stages/queue/answer_key.h"
#include "stages/queue/queue_keys.h"
#include "stages/queue/redis_connection.h"
#include "stages/queue/worker_name.h"

namespace kernelmill {

// The longest lease that a worker may have.
inline constexpr std::chrono::seconds kLongestLease{86'400};

struct QueuedMessage {
  std::string id;  // In its stream.
  MessageFields fields;
  std::int64_t tries = 1;  // How often it was taken, this time included.
};

// Those of an entry of a stream: [id, [name, value, …]].
MessageFields FieldsOf(const RedisReply& entry);

struct WorkQueueOptions {
  RedisAddress address;
  std::string name;  // QueueName() (queue_name.h), with which all keys in the server begin.
  // Of a worker. Two queues of one worker have the same, so that one renews what the other took.
  std::string worker = WorkerName::OfThisProcess();
  std::chrono::milliseconds lease{60'000};
  // How long to wait for a server that has answered before and is gone.
  std::chrono::milliseconds patience{0};
};

class WorkQueue {
 public:
  // Errors of all functions: those of RedisConnection, when the server is gone for longer than the
  // patience, and kInterrupted.
  static Result<WorkQueue> Open(WorkQueueOptions options);

  // For who leads a run.

  // Adds the keys to the stream of the first pool, and leaves a mark that says so.
  Status Publish(const std::vector<AnswerKey>& keys);
  // Whether the mark of a plan is there: it is gone when the server has lost its memory. `run`:
  // AnswerKey::run; another folder may have an equal plan.
  Result<bool> HasMark(const std::string& run, const std::string& plan);
  Status RemoveMark(const std::string& run, const std::string& plan);
  // The places of a plan's answers that are in the streams.
  Result<std::set<std::string>> PlacesOf(const std::string& run, const std::string& plan);

  // For workers.

  // The next message of the pool: one whose lease has expired, or a new one. Nothing if none comes
  // within about a second.
  Result<std::optional<QueuedMessage>> Take(WorkerPool pool);
  Status Renew(WorkerPool pool, const QueuedMessage& message);
  // Ends the lease, so that another worker can take the message at once. This try does not count.
  Status GiveBack(WorkerPool pool, const QueuedMessage& message);
  // Removes a message of the pool kCompile and adds it to the pool kExecute, at once.
  Status HandOn(const QueuedMessage& message);
  Status Finish(WorkerPool pool, const QueuedMessage& message);
  // Removes the message and adds it, with the reason, to the stream QuarantineKey(), which keeps
  // the last ones.
  Status Quarantine(WorkerPool pool, const QueuedMessage& message, const std::string& reason);

 private:
  explicit WorkQueue(WorkQueueOptions options) : options_(std::move(options)) {}
  std::string StreamOf(WorkerPool pool) const { return StreamKey(options_.name, pool); }
  // The replies, without errors but those that begin with one of the words in `expected`.
  Result<std::vector<RedisReply>> Ask(const std::vector<RedisCommand>& commands,
                                      const std::set<std::string_view>& expected = {});
  // Sends the commands as a transaction that ends with removing the message from its stream.
  Status Remove(WorkerPool pool, const QueuedMessage& message, std::vector<RedisCommand> first);
  Status MakeGroup(WorkerPool pool);
  Result<std::optional<QueuedMessage>> TakeExpired(WorkerPool pool);

  WorkQueueOptions options_;
  std::optional<RedisConnection> connection_;
  std::chrono::steady_clock::time_point looked_for_expired_;
};

}  // namespace kernelmill
