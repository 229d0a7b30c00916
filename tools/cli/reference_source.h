// Reads the tasks for the command `answer` one after the other: the user's own references
// (OpenReferences()), or tasks drawn at random (DrawTasks()).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

struct ReferenceTask {
  std::string name;     // Unique within the source, and usable as a file name.
  std::string text;     // Python in the KernelBench convention.
  int level = 0;        // The level of a drawn task, 1 to 4; otherwise 0.
  std::string problem;  // Why a row of a file is not a task; `text` is empty then.
};

// Not thread-safe.
class ReferenceSource {
 public:
  virtual ~ReferenceSource() = default;
  // The next task; nothing at the end.
  virtual Result<std::optional<ReferenceTask>> Next() = 0;
};

// The references at `path`: a .py file, a folder of them, or a .jsonl or .parquet file with a
// column of them.
Result<std::unique_ptr<ReferenceSource>> OpenReferences(const std::string& path);

struct DrawOptions {
  std::int64_t count = 10;
  std::uint64_t seed = 0;
  std::vector<int> levels = {1, 2};
  // Prefer tasks with operators that no earlier task had.
  bool every_operator = false;
  std::vector<std::string> operators;  // Draw only tasks with one of these; empty allows all.
};

// Tasks of the generator at the sizes that datasets have. kUsage for an unknown operator.
Result<std::unique_ptr<ReferenceSource>> DrawTasks(const DrawOptions& options);

}  // namespace kernelmill
