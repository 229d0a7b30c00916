#include "stages/queue/work_queue.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "manifests/digest.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"

namespace kernelmill {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Kind = RedisReply::Kind;

constexpr char kGroup[] = "workers", kNoGroup[] = "NOGROUP";
// A server may wait this long for a new message before it answers that there is none.
constexpr milliseconds kWaitForMessage{1000};
constexpr milliseconds kTryAgain{500};
constexpr std::size_t kBatch = 1000;
constexpr int kMostQuarantined = 10'000;
// A mark that nobody has removed is of a run that has ended.
constexpr char kMarkSeconds[] = "604800";

std::string NameOfProcess() {
  char host[256] = "";
  (void)gethostname(host, sizeof(host) - 1);
  return std::string(host) + "-" + std::to_string(getpid()) + "-" +
         std::to_string(Clock::now().time_since_epoch().count());
}

void AddFields(const MessageFields& fields, RedisCommand* command) {
  for (const auto& [name, value] : fields) {
    command->push_back(name);
    command->push_back(value);
  }
}

// An entry of a stream: [id, [name, value, …]].
QueuedMessage MessageOf(const RedisReply& entry) {
  QueuedMessage message;
  message.id = entry.At(0).text;
  const std::vector<RedisReply>& words = entry.At(1).items;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    message.fields.emplace_back(words[i].text, words[i + 1].text);
  }
  return message;
}

}  // namespace

std::string_view PoolName(WorkerPool pool) {
  return pool == WorkerPool::kCompile ? "compile" : "execute";
}

WorkQueue::WorkQueue(WorkQueueOptions options)
    : options_(std::move(options)), consumer_(NameOfProcess()) {}

std::string WorkQueue::StreamOf(WorkerPool pool) const {
  return options_.name + ":" + std::string(PoolName(pool));
}

std::string WorkQueue::MarkOf(const std::string& run, const std::string& plan) const {
  return options_.name + ":published:" + Sha256().Field(run).Field(plan).Finish().Hex();
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
      commands.push_back(
          {"SET", MarkOf(keys[first].run, keys[first].plan), "1", "EX", kMarkSeconds});
    }
    KM_RETURN_IF_ERROR(Ask(commands).status());
  }
  return Status::Ok();
}

Result<bool> WorkQueue::HasMark(const std::string& run, const std::string& plan) {
  KM_ASSIGN(const std::vector<RedisReply> replies, Ask({{"EXISTS", MarkOf(run, plan)}}));
  return replies.front().number > 0;
}

Status WorkQueue::RemoveMark(const std::string& run, const std::string& plan) {
  return Ask({{"DEL", MarkOf(run, plan)}}).status();
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
  return Ask({{"XGROUP", "CREATE", StreamOf(pool), kGroup, "0", "MKSTREAM"}}, {"BUSYGROUP"})
      .status();
}

Result<std::optional<QueuedMessage>> WorkQueue::TakeExpired(WorkerPool pool) {
  looked_for_expired_ = Clock::now();
  const std::string stream = StreamOf(pool);
  std::string from = "0-0";
  do {
    KM_ASSIGN(const std::vector<RedisReply> replies,
              Ask({{"XAUTOCLAIM", stream, kGroup, consumer_, std::to_string(options_.lease.count()),
                    from, "COUNT", "1"}},
                  {kNoGroup}));
    const RedisReply& reply = replies.front();
    if (reply.kind == Kind::kError) return std::optional<QueuedMessage>();
    // Before Redis 7, a message that is not in the stream any more is "nothing".
    if (reply.At(1).At(0).kind == Kind::kList) {
      QueuedMessage message = MessageOf(reply.At(1).At(0));
      KM_ASSIGN(const std::vector<RedisReply> pending,
                Ask({{"XPENDING", stream, kGroup, message.id, message.id, "1"}}, {kNoGroup}));
      message.tries = pending.front().At(0).At(3).number;
      looked_for_expired_ = Clock::time_point();  // There may be more.
      return std::optional(std::move(message));
    }
    from = reply.At(0).text;
  } while (!from.empty() && from != "0-0");
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
            Ask({{"XREADGROUP", "GROUP", kGroup, consumer_, "COUNT", "1", "BLOCK",
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
  return Ask({{"XCLAIM", StreamOf(pool), kGroup, consumer_, "0", message.id, "JUSTID"}}, {kNoGroup})
      .status();
}

Status WorkQueue::GiveBack(WorkerPool pool, const QueuedMessage& message) {
  // It has expired for every worker, whatever its lease is.
  return Ask({{"XCLAIM", StreamOf(pool), kGroup, consumer_, "0", message.id, "IDLE",
               std::to_string(milliseconds(kLongestLease).count()), "RETRYCOUNT",
               std::to_string(std::max<std::int64_t>(message.tries - 1, 0)), "JUSTID"}},
             {kNoGroup})
      .status();
}

Status WorkQueue::Remove(WorkerPool pool, const QueuedMessage& message,
                         std::vector<RedisCommand> first) {
  std::vector<RedisCommand> commands = {{"MULTI"}};
  std::move(first.begin(), first.end(), std::back_inserter(commands));
  commands.push_back({"XACK", StreamOf(pool), kGroup, message.id});
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
                      options_.name + ":quarantine",
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
    add.push_back("message." + name);
    add.push_back(value);
  }
  return Remove(pool, message, {std::move(add)});
}

}  // namespace kernelmill
