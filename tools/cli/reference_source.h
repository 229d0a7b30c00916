// The tasks that `answer` is to answer, one after the other: references of the user's own, or tasks
// drawn at random.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

struct ReferenceTask {
  std::string name;     // Unique within the source, and fit for the name of a file.
  std::string text;     // Python in the KernelBench convention.
  int level = 0;        // Of a drawn task: 1 to 4.
  std::string problem;  // Why a row of a file is not a task; then there is no text.
};

// Used from one thread.
class ReferenceSource {
 public:
  virtual ~ReferenceSource() = default;
  // Nothing at the end.
  virtual Result<std::optional<ReferenceTask>> Next() = 0;
};

// The references at `path`: a .py file, a folder of them, or a .jsonl or .parquet file with a
// column of them.
Result<std::unique_ptr<ReferenceSource>> OpenReferences(const std::string& path);

struct DrawOptions {
  std::int64_t count = 10;
  std::uint64_t seed = 0;
  std::vector<int> levels = {1, 2};
  // Prefers tasks with operators that no task before them had.
  bool every_operator = false;
  std::vector<std::string> operators;  // Only tasks with one of these; empty: any.
};

// Tasks of the generator at the sizes that datasets have. kUsage for an unknown operator.
Result<std::unique_ptr<ReferenceSource>> DrawTasks(const DrawOptions& options);

}  // namespace kernelmill
