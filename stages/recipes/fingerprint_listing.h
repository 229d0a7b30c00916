// Makes a benchmark table for decontamination, for `generate --fingerprints`: it lists the
// fingerprints of the texts and operator graphs of all problems of a benchmark.
#pragma once

#include <cstdint>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

struct FingerprintListing {
  std::string table;  // In the format of corpora/benchmark_table.h.
  std::int64_t problems = 0;
  std::int64_t graphs = 0;  // Problems whose graph could be captured.
};

// `tasks` is a file or folder of tasks (stages/task_files/task_source.h), or a checkout of
// KernelBench. Starts a torch worker. kConfig when `tasks` cannot be read as tasks.
Result<FingerprintListing> ListFingerprints(const std::string& tasks);

}  // namespace kernelmill
