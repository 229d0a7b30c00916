// What an answer is judged for: backend and target, policy, contract, and the extra runs.
#pragma once

#include <cstdint>
#include <string>

#include "corpora/kernel_backend.h"
#include "corpora/records/task_contract.h"
#include "manifests/json.h"

namespace kernelmill {

struct JudgingChoice {
  std::string policy = "strict";
  const KernelBackend* backend = &kCudaBackend;
  std::string target;  // A target of the backend; empty for its default.
  std::uint64_t seed = 42;
  std::string secret;  // JudgeOptions::secret; empty for answers that kernelmill has written.
  bool training = true;
  std::int64_t own_size_cpu_ms = 0;  // JudgeOptions::own_size_cpu_ms.
  TaskContract contract;             // That of the task (Task::Contract()), or more.
  // Each of these adds a build of the kernels. With the first two a candidate runs at two sets of
  // sizes, if it is right or ended where the cause may be hidden; with `count`, once, if it is
  // right.
  bool memory = false;  // Check every access for bounds.
  bool races = false;   // Check accesses for races.
  bool count = false;   // Count memory requests, as a profiler would.

  bool operator==(const JudgingChoice&) const = default;

  // All but the secret, which the other side must have by other means.
  Json::Object ToJson() const;
  static Result<JudgingChoice> FromJson(const Json& json);
};

}  // namespace kernelmill
