// A candidate to be judged, from a list (candidate_list.h) or a run folder of KernelBench
// (kernelbench_run.h); VerifyCandidates() (verify_run.h) judges a vector of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "corpora/kernel_backend.h"
#include "corpora/records/task_contract.h"
#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/verify/build/extension.h"

namespace kernelmill {

struct VerifyItem {
  std::string key;   // Unique in a run: "level_2_problem_7_sample_0", or a line's own id.
  std::string id;    // The line's own id; empty if it has none.
  std::string task;  // Names the task: a content_id or a prefix of it, or "level_2_problem_7".
  // Counts the candidates of a task from 0. Nothing for a malformed item that does not say.
  std::optional<std::int64_t> attempt;
  std::int64_t turn = 1;  // Of a conversation.
  // The task's text, Python in the KernelBench convention. One text for all candidates of a task.
  std::shared_ptr<const std::string> reference;
  // Reads the candidate's Python; nothing if a message holds none.
  std::function<Result<std::optional<std::string>>()> read_code;
  TaskContract contract;  // That of the task, as far as it is known.
  // The backend of its kernels if the item names one, otherwise null.
  const KernelBackend* backend = nullptr;
  // Why the item is malformed, as a name from manifests/reason.h and in words; empty for a
  // candidate. A malformed item has no reference, and its read_code returns its bytes.
  std::string reason, problem;

  // {"key", "id", "task", "attempt", "turn"}; null for an id, a task and an attempt that it has
  // not.
  Json::Object Identity() const;
};

}  // namespace kernelmill
