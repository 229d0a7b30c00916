// Reads what the queues of a Redis server hold and what their workers do, for `status --queue`.
// Nothing is changed, and no command or worker has to run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/queue/answer_key.h"
#include "stages/queue/quarantined_answers.h"
#include "stages/queue/queue_keys.h"
#include "stages/queue/redis_address.h"

namespace kernelmill {

struct QueueStatus {
  struct Worker {
    std::string name;         // As WorkerName has it, unless another program has named it.
    std::int64_t leases = 0;  // A worker has one message at a time; more were given back or lost.
    std::chrono::milliseconds seen{0};  // How long ago it asked for a message, or renewed a lease.
  };
  // Of the leases of a pool, the one that nobody has renewed for the longest time.
  struct OldestLease {
    std::string worker;
    std::int64_t tries = 0;                // How often the message was taken.
    std::chrono::milliseconds renewed{0};  // How long ago.
    MessageFields message;
  };
  struct Pool {
    WorkerPool pool = WorkerPool::kCompile;
    std::int64_t waiting = 0;  // Messages that nobody has a lease of.
    std::int64_t leased = 0;
    std::optional<OldestLease> oldest;
    std::vector<Worker> workers;  // Those that have a lease, or were there within a minute.
  };
  struct Queue {
    std::string name;
    bool own = false;  // The one that commands and workers of this checkout use.
    std::vector<Pool> pools;
    std::int64_t quarantined = 0;               // All that the server knows of.
    std::vector<QuarantinedAnswer> quarantine;  // The last ones, the newest first.

    bool IsIdle() const;  // It has neither messages nor workers.
  };
  std::string server;         // RedisAddress::Text().
  std::vector<Queue> queues;  // By name. Of those of other checkouts, those that are not idle.

  std::string Text() const;
  Json ToJson() const;
};

// `url` as RedisAddress::Parse() takes it. Errors as those of RedisConnection, and of QueueName().
Result<QueueStatus> ReadQueueStatus(const std::string& url);

}  // namespace kernelmill
