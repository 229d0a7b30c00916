#include "stages/retry/retry_generation.h"

#include <set>

#include "corpora/records/sandbox_attack.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

Status Corrupt(const std::string& what) {
  return Status(ErrorCode::kCorrupt, "retry buffer: " + what);
}

}  // namespace

Json ParkedTask::ToJson() const {
  return Json::Object{{"task", key.task.Hex()},
                      {"backend", key.backend},
                      {"round", round},
                      {"sample", sample.Hex()}};
}

Result<ParkedTask> ParkedTask::FromJson(const Json& json) {
  ParkedTask parked;
  JsonFields fields(json, "parked task");
  fields.Read("task", &parked.key.task);
  fields.Read("backend", &parked.key.backend);
  fields.Read("round", &parked.round);
  fields.Read("sample", &parked.sample);
  KM_RETURN_IF_ERROR(fields.Finish());
  return parked;
}

Status RetryGeneration::Check() const {
  KM_RETURN_IF_ERROR(options.Check());
  if (round < 0 || (round > 0) != previous.has_value()) {
    return Corrupt("generation " + std::to_string(round) + " must " + (round > 0 ? "" : "not ") +
                   "name a generation before it");
  }
  if (static_cast<std::int64_t>(entries.size()) > options.capacity) {
    return Corrupt("there are more entries than its capacity");
  }
  std::set<RetryKey> keys;
  for (const ParkedTask& task : parked) {
    if (!keys.insert(task.key).second) return Corrupt(task.key.Name() + " occurs twice");
  }
  std::int64_t last = 0;
  for (const RetryEntry& entry : entries) {
    const std::string name = entry.key.Name();
    if (!keys.insert(entry.key).second) return Corrupt(name + " occurs twice");
    const std::int64_t age = round - entry.round;
    if (entry.round < 1 || age < 0 || age >= options.time_to_live || entry.round < last) {
      return Corrupt(name + " is from round " + std::to_string(entry.round));
    }
    last = entry.round;
    if (entry.attempts < 0 || entry.attempts >= options.max_attempts) {
      return Corrupt(name + " has had " + std::to_string(entry.attempts) + " attempts");
    }
    if (HasSandboxAttack(entry.verdict)) return Corrupt(name + " holds an attack");
  }
  return Status::Ok();
}

}  // namespace kernelmill
