#include "stages/queue/queue_status.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "manifests/printable.h"
#include "stages/queue/queue_name.h"
#include "stages/queue/redis_connection.h"
#include "stages/queue/work_queue.h"
#include "stages/queue/worker_name.h"

namespace kernelmill {
namespace {

using std::chrono::milliseconds;
using Kind = RedisReply::Kind;

constexpr milliseconds kStillThere{60'000};
constexpr std::size_t kLongestReason = 1000;
constexpr char kPage[] = "1000", kShownOfQuarantine[] = "20";

// The value of a name in a list of names and values.
const RedisReply& ValueOf(const RedisReply& list, std::string_view name) {
  for (std::size_t i = 0; i + 1 < list.items.size(); i += 2) {
    if (list.items[i].text == name) return list.items[i + 1];
  }
  return list.At(list.items.size());
}

class StatusReader {
 public:
  explicit StatusReader(RedisConnection connection) : connection_(std::move(connection)) {}

  // The names of the queues that have a stream.
  Result<std::set<std::string>> Names() {
    std::set<std::string> names;
    std::string cursor = "0";
    do {
      KM_ASSIGN(const RedisReply reply,
                Ask({"SCAN", cursor, "MATCH", std::string(kQueuePrefix) + "*", "COUNT", kPage}));
      for (const RedisReply& key : reply.At(1).items) {
        const std::string name = key.text.substr(0, key.text.find(':', kQueuePrefix.size()));
        for (const WorkerPool pool : kWorkerPools) {
          if (key.text == StreamKey(name, pool)) names.insert(name);
        }
        if (key.text == QuarantineKey(name)) names.insert(name);
      }
      cursor = reply.At(0).text;
    } while (!cursor.empty() && cursor != "0");
    return names;
  }

  Result<QueueStatus::Queue> Read(const std::string& name) {
    QueueStatus::Queue queue{.name = name};
    for (const WorkerPool pool : kWorkerPools) {
      KM_ASSIGN(QueueStatus::Pool read, ReadPool(name, pool));
      queue.pools.push_back(std::move(read));
    }
    const std::string key = QuarantineKey(name);
    KM_ASSIGN(const RedisReply count, Ask({"XLEN", key}));
    queue.quarantined = count.number;
    KM_ASSIGN(const RedisReply last,
              Ask({"XREVRANGE", key, "+", "-", "COUNT", kShownOfQuarantine}));
    for (const RedisReply& entry : last.items) queue.quarantine.push_back(QuarantinedOf(entry));
    return queue;
  }

 private:
  // Errors of the server's are "nothing": the stream or its group is not there, or is gone again.
  Result<RedisReply> Ask(RedisCommand command) {
    KM_ASSIGN(std::vector<RedisReply> replies, connection_.Ask({std::move(command)}));
    if (replies.front().kind == Kind::kError) return RedisReply();
    return std::move(replies.front());
  }

  Result<QueueStatus::Pool> ReadPool(const std::string& name, WorkerPool kind) {
    const std::string stream = StreamKey(name, kind);
    QueueStatus::Pool pool{.pool = kind};
    // In this order: a message that is finished in between is counted as waiting at most.
    KM_RETURN_IF_ERROR(ReadLeases(stream, &pool));
    KM_ASSIGN(const RedisReply length, Ask({"XLEN", stream}));
    pool.waiting = std::max<std::int64_t>(length.number - pool.leased, 0);
    KM_ASSIGN(const RedisReply workers, Ask({"XINFO", "CONSUMERS", stream, kWorkersGroup}));
    for (const RedisReply& reply : workers.items) {
      QueueStatus::Worker worker{.name = ValueOf(reply, "name").text,
                                 .leases = ValueOf(reply, "pending").number,
                                 .seen = milliseconds(ValueOf(reply, "idle").number)};
      if (worker.leases > 0 || worker.seen < kStillThere) pool.workers.push_back(worker);
    }
    return pool;
  }

  Status ReadLeases(const std::string& stream, QueueStatus::Pool* pool) {
    std::string from = "-", oldest;
    for (;;) {
      KM_ASSIGN(const RedisReply page, Ask({"XPENDING", stream, kWorkersGroup, from, "+", kPage}));
      if (page.items.empty()) break;
      for (const RedisReply& lease : page.items) {
        const milliseconds renewed(lease.At(2).number);
        if (renewed >= kLongestLease) continue;  // A worker has given it back.
        ++pool->leased;
        if (pool->oldest && pool->oldest->renewed >= renewed) continue;
        pool->oldest = {.worker = lease.At(1).text,
                        .tries = lease.At(3).number,
                        .renewed = renewed,
                        .message = {}};
        oldest = lease.At(0).text;
      }
      from = "(" + page.items.back().At(0).text;
    }
    if (!pool->oldest) return Status::Ok();
    KM_ASSIGN(const RedisReply entries, Ask({"XRANGE", stream, oldest, oldest}));
    pool->oldest->message = FieldsOf(entries.At(0));
    return Status::Ok();
  }

  static QuarantinedAnswer QuarantinedOf(const RedisReply& entry) {
    QuarantinedAnswer answer{.pool = ValueOf(entry.At(1), "pool").text,
                             .reason = ValueOf(entry.At(1), "reason").text};
    answer.tries = std::atoll(ValueOf(entry.At(1), "tries").text.c_str());
    for (auto& [name, value] : FieldsOf(entry)) {
      if (!name.starts_with(kQuarantinedField)) continue;
      answer.message.emplace_back(name.substr(kQuarantinedField.size()), std::move(value));
    }
    return answer;
  }

  RedisConnection connection_;
};

std::string Seconds(milliseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

std::string WorkerText(const std::string& name) {
  const std::optional<WorkerName> worker = WorkerName::Parse(name);
  return PrintableLine(worker ? worker->host + ", process " + std::to_string(worker->pid) : name);
}

std::string MessageText(const MessageFields& message) {
  const Result<AnswerKey> key = AnswerKey::FromFields(message);
  if (key.ok()) return PrintableLine("answer " + key->place + " of " + key->run);
  std::string text = "a message that is no key of an answer:";
  for (const auto& [name, value] : message) text += " " + name + "=" + value;
  return PrintableLine(text);
}

std::string PoolText(const QueueStatus::Pool& pool) {
  std::string text = "  " + std::string(PoolName(pool.pool)) + ": " + std::to_string(pool.waiting) +
                     " waiting, " + std::to_string(pool.leased) + " leased, " +
                     std::to_string(pool.workers.size()) + " workers\n";
  for (const QueueStatus::Worker& worker : pool.workers) {
    text += "    " + WorkerText(worker.name) + ": " + std::to_string(worker.leases) +
            " leased; it was there " + Seconds(worker.seen) + " ago\n";
  }
  if (pool.oldest) {
    text += "    oldest lease: " + MessageText(pool.oldest->message) + ", renewed " +
            Seconds(pool.oldest->renewed) + " ago by " + WorkerText(pool.oldest->worker) +
            ", try " + std::to_string(pool.oldest->tries) + "\n";
  }
  return text;
}

Json WorkerJson(const std::string& name) {
  const std::optional<WorkerName> worker = WorkerName::Parse(name);
  return Json::Object{{"host", worker ? worker->host : name},
                      {"pid", worker ? Json(worker->pid) : Json()}};
}

Json PoolJson(const QueueStatus::Pool& pool) {
  Json::Array workers;
  for (const QueueStatus::Worker& worker : pool.workers) {
    Json one = WorkerJson(worker.name);
    one["leased"] = worker.leases;
    one["seen_ms"] = worker.seen.count();
    workers.push_back(std::move(one));
  }
  Json oldest;
  if (pool.oldest) {
    oldest = WorkerJson(pool.oldest->worker);
    oldest["tries"] = pool.oldest->tries;
    oldest["renewed_ms"] = pool.oldest->renewed.count();
    oldest["message"] = JsonOfFields(pool.oldest->message);
  }
  return Json::Object{{"pool", PoolName(pool.pool)},
                      {"waiting", pool.waiting},
                      {"leased", pool.leased},
                      {"workers", std::move(workers)},
                      {"oldest_lease", std::move(oldest)}};
}

}  // namespace

bool QueueStatus::Queue::IsIdle() const {
  return quarantined == 0 && std::ranges::all_of(pools, [](const Pool& pool) {
           return pool.waiting == 0 && pool.leased == 0 && pool.workers.empty();
         });
}

std::string QueueStatus::Text() const {
  std::string text;
  for (const Queue& queue : queues) {
    text += server + ", " + queue.name +
            (queue.own ? "\n"
                       : ": the queue of another checkout, version, compiler or instruction set\n");
    for (const Pool& pool : queue.pools) text += PoolText(pool);
    text += "  in quarantine: " + std::to_string(queue.quarantined) + "\n";
    for (const QuarantinedAnswer& answer : queue.quarantine) {
      text += "    " + MessageText(answer.message) + ", given up by " + PrintableLine(answer.pool) +
              " after " + std::to_string(answer.tries) +
              " tries: " + PrintableLine(answer.reason, kLongestReason) + "\n";
    }
  }
  return text;
}

Json QueueStatus::ToJson() const {
  Json::Array all;
  for (const Queue& queue : queues) {
    Json::Array pools, quarantine;
    for (const Pool& pool : queue.pools) pools.push_back(PoolJson(pool));
    for (const QuarantinedAnswer& answer : queue.quarantine) quarantine.push_back(answer.ToJson());
    all.push_back(Json::Object{{"name", queue.name},
                               {"own", queue.own},
                               {"pools", std::move(pools)},
                               {"quarantined", queue.quarantined},
                               {"quarantine", std::move(quarantine)}});
  }
  return Json::Object{{"server", server}, {"queues", std::move(all)}};
}

Result<QueueStatus> ReadQueueStatus(const std::string& url) {
  KM_ASSIGN(const RedisAddress address, RedisAddress::Parse(url));
  KM_ASSIGN(const std::string own, QueueName());
  KM_ASSIGN(RedisConnection connection, RedisConnection::Open(address));
  StatusReader reader(std::move(connection));
  QueueStatus status{.server = address.Text(), .queues = {}};
  KM_ASSIGN(std::set<std::string> names, reader.Names());
  names.insert(own);
  for (const std::string& name : names) {
    KM_ASSIGN(QueueStatus::Queue queue, reader.Read(name));
    queue.own = name == own;
    if (queue.own || !queue.IsIdle()) status.queues.push_back(std::move(queue));
  }
  return status;
}

}  // namespace kernelmill
