#include "stages/queue/queue_keys.h"

#include "manifests/digest.h"

namespace kernelmill {

std::string_view PoolName(WorkerPool pool) {
  return pool == WorkerPool::kCompile ? "compile" : "execute";
}

std::string StreamKey(const std::string& queue, WorkerPool pool) {
  return queue + ":" + std::string(PoolName(pool));
}

std::string QuarantineKey(const std::string& queue) { return queue + ":quarantine"; }

std::string MarkKey(const std::string& queue, const std::string& run, const std::string& plan) {
  return queue + ":published:" + Sha256().Field(run).Field(plan).Finish().Hex();
}

}  // namespace kernelmill
