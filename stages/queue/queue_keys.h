// The keys that a queue has in its Redis server. All begin with the queue's name (queue_name.h).
#pragma once

#include <string>
#include <string_view>

namespace kernelmill {

enum class WorkerPool {
  kCompile,  // Builds the libraries of answers.
  kExecute,  // Judges answers, whose libraries are in the build store then.
};
inline constexpr WorkerPool kWorkerPools[] = {WorkerPool::kCompile, WorkerPool::kExecute};
std::string_view PoolName(WorkerPool pool);  // "compile"

// With which the name of every queue begins.
inline constexpr std::string_view kQueuePrefix = "kernelmill:";
// The group of a stream in which its workers share the messages.
inline constexpr char kWorkersGroup[] = "workers";
// The names of the fields of a message in quarantine: this, and the name in the message.
inline constexpr std::string_view kQuarantinedField = "message.";

// The stream of the messages that a pool has to do.
std::string StreamKey(const std::string& queue, WorkerPool pool);
// The stream of the messages that were given up: the fields "pool", "tries" and "reason", then
// those of the message.
std::string QuarantineKey(const std::string& queue);
// The mark that the answers of a plan were published. `run`: AnswerKey::run.
std::string MarkKey(const std::string& queue, const std::string& run, const std::string& plan);

}  // namespace kernelmill
