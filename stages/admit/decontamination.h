// What keeps the problems of benchmarks out of a dataset: each task's graph is compared with theirs
// before it is admitted.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corpora/benchmark_table.h"
#include "corpora/records/record.h"
#include "manifests/config.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

// The key that names tables: those in corpora/benchmarks by their names, others by their paths.
inline constexpr char kBenchmarkTablesKey[] = "decontaminate.tables";
std::vector<ConfigKey> DecontaminateKeys();
// Of the tables that the key names those that are files of the user: path and content.
Result<std::vector<std::pair<std::string, Digest>>> BenchmarkFiles(const Config& config);

struct Decontamination {
  // Nothing is compared where there is none.
  std::shared_ptr<const BenchmarkTable> table;
  bool patterns = false;  // Whether T2 is refused like T1.

  // kConfig names the key and the table.
  static Result<Decontamination> Of(const Config& config);
  Json Parameters() const;
  bool Refuses(const BenchmarkOverlap& overlap) const {
    return overlap.tier == OverlapTier::kGraph ||
           (patterns && overlap.tier == OverlapTier::kPattern);
  }
};

// A module's graph, captured in the worker's sandbox; nothing where the operator table cannot say
// it. A Status is trouble with the worker.
Result<std::optional<GraphFingerprint>> CaptureFingerprint(const std::string& code,
                                                           TorchWorker* worker);

// Of a task's record: what is captured, and what its generator says of it, which knows graphs that
// no capture can say yet, but not by their operators.
Result<std::vector<GraphFingerprint>> FingerprintsOf(const Record& task, TorchWorker* worker);

struct FingerprintListing {
  std::string table;
  std::int64_t problems = 0, written = 0;  // Those that have a graph.
};
// The table of a benchmark: a file of tasks or a folder of them (stages/supply/task_source.h), or a
// checkout of KernelBench.
Result<FingerprintListing> ListFingerprints(const std::string& tasks);

}  // namespace kernelmill
