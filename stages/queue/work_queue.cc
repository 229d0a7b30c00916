#include "stages/queue/work_queue.h"

#include <algorithm>
#include <utility>

#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"

namespace kernelmill {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Kind = RedisReply::Kind;

constexpr char kNoGroup[] = "NOGROUP";
// A server may wait this long for a new message before it answers that there is none.
constexpr milliseconds kWaitForMessage{1000};
constexpr milliseconds kTryAgain{500};
constexpr std::size_t kBatch = 1000;
constexpr int kMostQuarantined = 10'000;
// A mark that nobody has removed is of a run that has ended.
constexpr char kMarkSeconds[] = "604800";

void AddFields(const MessageFields& fields, RedisCommand* command) {
  for (const auto& [name, value] : fields) {
    command->push_back(name);
    command->push_back(value);
  }
}

QueuedMessage MessageOf(const RedisReply& entry) {
  return {.id = entry.At(0).text, .fields = FieldsOf(entry)};
}

}  // namespace

MessageFields FieldsOf(const RedisReply& entry) {
  MessageFields fields;
  const std::vector<RedisReply>& words = entry.At(1).items;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    fields.emplace_back(words[i].text, words[i + 1].text);
  }
  return fields;
}

Result<WorkQueue> WorkQueue::Open(WorkQueueOptions options) {
  WorkQueue queue(std::move(options));
  KM_ASSIGN(queue.connection_, RedisConnection::Open(queue.options_.address));
  return queue;
}

Result<std::vector<RedisReply>> WorkQueue::Ask(const std::vector<RedisCommand>& commands,
                                               const std::set<std::string_view>& expected) {
  const Clock::time_point last_try = Clock::now() + options_.patience;
  for (bool said = false;;) {
    Status gone;
    if (!connection_) {
      Result<RedisConnection> opened = RedisConnection::Open(options_.address);
      if (opened.ok()) {
        connection_ = std::move(opened).value();
      } else {
        gone = opened.status();
      }
    }
    if (connection_) {
      Result<std::vector<RedisReply>> replies = connection_->Ask(commands);
      if (replies.ok()) {
        for (const RedisReply& reply : *replies) {
          const bool known = std::ranges::any_of(
              expected, [&](std::string_view word) { return reply.IsError(word); });
          if (reply.kind != Kind::kError || known) continue;
          return Status(ErrorCode::kUsage, options_.address.Text() + ": Redis refuses " +
                                               commands.front().front() + ": " + reply.text +
                                               " (Redis 6.2 or newer is needed)");
        }
        return replies;
      }
      gone = replies.status();
      connection_.reset();
    }
    if (gone.code() != ErrorCode::kUnreachable || Clock::now() >= last_try) return gone;
    if (!said) Warn(gone.message() + "; waiting for it");
    said = true;
    if (Pause(kTryAgain) == Waited::kInterrupted) return InterruptedStatus();
  }
}

Status WorkQueue::Publish(const std::vector<AnswerKey>& keys) {
  for (std::size_t first = 0; first < keys.size(); first += kBatch) {
    std::vector<RedisCommand> commands;
    for (std::size_t i = first; i < std::min(first + kBatch, keys.size()); ++i) {
      commands.push_back({"XADD", StreamOf(WorkerPool::kCompile), "*"});
      AddFields(keys[i].Fields(), &commands.back());
    }
    if (first + kBatch >= keys.size()) {
      commands.push_back({"SET", MarkKey(options_.name, keys[first].run, keys[first].plan), "1",
                          "EX", kMarkSeconds});
    }
    KM_RETURN_IF_ERROR(Ask(commands).status());
  }
  return Status::Ok();
}

Result<bool> WorkQueue::HasMark(const std::string& run, const std::string& plan) {
  KM_ASSIGN(const std::vector<RedisReply> replies,
            Ask({{"EXISTS", MarkKey(options_.name, run, plan)}}));
  return replies.front().number > 0;
}

Status WorkQueue::RemoveMark(const std::string& run, const std::string& plan) {
  return Ask({{"DEL", MarkKey(options_.name, run, plan)}}).status();
}

Result<std::set<std::string>> WorkQueue::PlacesOf(const std::string& run, const std::string& plan) {
  std::set<std::string> places;
  // In this order: a message that is handed on in between is seen in the second stream.
  for (const WorkerPool pool : {WorkerPool::kCompile, WorkerPool::kExecute}) {
    std::string from = "-";
    for (;;) {
      KM_ASSIGN(const std::vector<RedisReply> replies,
                Ask({{"XRANGE", StreamOf(pool), from, "+", "COUNT", std::to_string(kBatch)}}));
      const std::vector<RedisReply>& entries = replies.front().items;
      for (const RedisReply& entry : entries) {
        const Result<AnswerKey> key = AnswerKey::FromFields(MessageOf(entry).fields);
        if (key.ok() && key->run == run && key->plan == plan) places.insert(key->place);
      }
      if (entries.size() < kBatch) break;
      from = "(" + entries.back().At(0).text;
    }
  }
  return places;
}

Status WorkQueue::MakeGroup(WorkerPool pool) {
  return Ask({{"XGROUP", "CREATE", StreamOf(pool), kWorkersGroup, "0", "MKSTREAM"}}, {"BUSYGROUP"})
      .status();
}

Result<std::optional<QueuedMessage>> WorkQueue::TakeExpired(WorkerPool pool) {
  looked_for_expired_ = Clock::now();
  const std::string stream = StreamOf(pool), lease = std::to_string(options_.lease.count());
  // XAUTOCLAIM does both, but visits ten leases a call: with a thousand workers, each of which
  // looks now and then, the server would need twice the time (bench/queued_workers.py).
  KM_ASSIGN(const std::vector<RedisReply> expired,
            Ask({{"XPENDING", stream, kWorkersGroup, "IDLE", lease, "-", "+", "1"}}, {kNoGroup}));
  // [[id, worker, milliseconds, tries]]
  const RedisReply& found = expired.front().At(0);
  if (found.kind != Kind::kList) return std::optional<QueuedMessage>();
  looked_for_expired_ = Clock::time_point();  // There may be more.
  const std::string& id = found.At(0).text;
  KM_ASSIGN(const std::vector<RedisReply> claimed,
            Ask({{"XCLAIM", stream, kWorkersGroup, options_.worker, lease, id}}, {kNoGroup}));
  // Empty if another worker was faster.
  const RedisReply& entry = claimed.front().At(0);
  if (entry.kind == Kind::kList) {
    QueuedMessage message = MessageOf(entry);
    message.tries = found.At(3).number + 1;
    return std::optional(std::move(message));
  }
  // Before Redis 7, a message that is not in the stream any more is "nothing", and stays pending.
  if (!claimed.front().items.empty()) {
    KM_RETURN_IF_ERROR(Ask({{"XACK", stream, kWorkersGroup, id}}).status());
  }
  return std::optional<QueuedMessage>();
}

Result<std::optional<QueuedMessage>> WorkQueue::Take(WorkerPool pool) {
  // New messages must not keep expired ones waiting for ever.
  if (Clock::now() - looked_for_expired_ > std::min(options_.lease / 2, 10 * kWaitForMessage)) {
    KM_ASSIGN(std::optional<QueuedMessage> expired, TakeExpired(pool));
    if (expired) return expired;
  }
  // A server that waits longer than an expired lease would keep it waiting too.
  const milliseconds wait = std::clamp(options_.lease / 2, milliseconds(1), kWaitForMessage);
  KM_ASSIGN(const std::vector<RedisReply> replies,
            Ask({{"XREADGROUP", "GROUP", kWorkersGroup, options_.worker, "COUNT", "1", "BLOCK",
                  std::to_string(wait.count()), "STREAMS", StreamOf(pool), ">"}},
                {kNoGroup, "UNBLOCKED"}));
  const RedisReply& reply = replies.front();
  if (reply.IsError(kNoGroup)) {
    KM_RETURN_IF_ERROR(MakeGroup(pool));
    return std::optional<QueuedMessage>();
  }
  // [[stream, [entry]]]
  const RedisReply& entry = reply.At(0).At(1).At(0);
  if (entry.kind != Kind::kList) return std::optional<QueuedMessage>();
  return std::optional(MessageOf(entry));
}

Status WorkQueue::Renew(WorkerPool pool, const QueuedMessage& message) {
  // With JUSTID it does not count as a try.
  return Ask({{"XCLAIM", StreamOf(pool), kWorkersGroup, options_.worker, "0", message.id,
               "JUSTID"}},
             {kNoGroup})
      .status();
}

Status WorkQueue::GiveBack(WorkerPool pool, const QueuedMessage& message) {
  // It has expired for every worker, whatever its lease is.
  return Ask({{"XCLAIM", StreamOf(pool), kWorkersGroup, options_.worker, "0", message.id, "IDLE",
               std::to_string(milliseconds(kLongestLease).count()), "RETRYCOUNT",
               std::to_string(std::max<std::int64_t>(message.tries - 1, 0)), "JUSTID"}},
             {kNoGroup})
      .status();
}

Status WorkQueue::Remove(WorkerPool pool, const QueuedMessage& message,
                         std::vector<RedisCommand> first) {
  std::vector<RedisCommand> commands = {{"MULTI"}};
  std::move(first.begin(), first.end(), std::back_inserter(commands));
  commands.push_back({"XACK", StreamOf(pool), kWorkersGroup, message.id});
  commands.push_back({"XDEL", StreamOf(pool), message.id});
  commands.push_back({"EXEC"});
  return Ask(commands).status();
}

Status WorkQueue::HandOn(const QueuedMessage& message) {
  RedisCommand add = {"XADD", StreamOf(WorkerPool::kExecute), "*"};
  AddFields(message.fields, &add);
  return Remove(WorkerPool::kCompile, message, {std::move(add)});
}

Status WorkQueue::Finish(WorkerPool pool, const QueuedMessage& message) {
  return Remove(pool, message, {});
}

Status WorkQueue::Quarantine(WorkerPool pool, const QueuedMessage& message,
                             const std::string& reason) {
  RedisCommand add = {"XADD",
                      QuarantineKey(options_.name),
                      "MAXLEN",
                      "~",
                      std::to_string(kMostQuarantined),
                      "*",
                      "pool",
                      std::string(PoolName(pool)),
                      "tries",
                      std::to_string(message.tries),
                      "reason",
                      reason};
  // The fields of the message, which may have any names.
  for (const auto& [name, value] : message.fields) {
    add.push_back(std::string(kQuarantinedField) + name);
    add.push_back(value);
  }
  return Remove(pool, message, {std::move(add)});
}

}  // namespace kernelmill
