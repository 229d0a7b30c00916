// A candidate that waits for its verdict, as a list or a run folder names it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "corpora/kernel_backend.h"
#include "manifests/status.h"
#include "stages/verify/build/extension.h"

namespace kernelmill {

struct VerifyItem {
  std::string key;   // Unique in a run: "level_2_problem_7_sample_0", or a line's own id.
  std::string task;  // What names the task: a content_id or its first digits, "level_2_problem_7".
  // The task's text, Python in the KernelBench convention. One text for all candidates of a task.
  std::shared_ptr<const std::string> reference;
  // Reads the candidate's Python; nothing where a message holds none.
  std::function<Result<std::optional<std::string>>()> read_code;
  // The backend of its kernels where the item itself says it, null elsewhere.
  const KernelBackend* backend = nullptr;
  // Why the item is no candidate at all; empty for a candidate. read_code gives its bytes then, and
  // it has no reference.
  std::string problem;
};

}  // namespace kernelmill
