// Keeps the problems of benchmarks out of a dataset: "admit" compares the graph of each task with
// the configured benchmark tables and rejects a task that one of them has. Holds the configuration
// keys "decontaminate.…" and takes the fingerprints of a graph; `generate --fingerprints` makes
// such tables with the same function. A run records the user's own table files (BenchmarkFiles()),
// so that an audit finds them again.
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

// The configuration key that lists tables: those in corpora/benchmarks by name, others by path.
inline constexpr char kBenchmarkTablesKey[] = "decontaminate.tables";
std::vector<ConfigKey> DecontaminateKeys();
// The configured tables that are the user's files: the path as written, and the digest.
Result<std::vector<std::pair<std::string, Digest>>> BenchmarkFiles(const Config& config);

struct Decontamination {
  // Null when nothing is compared.
  std::shared_ptr<const BenchmarkTable> table;
  bool patterns = false;  // Whether tier T2 (OverlapTier::kPattern) is refused like T1.
  // Whether refused tasks are kept with kProtectedAttribute, for samples of theirs to be judged.
  bool marks = false;

  // kConfig if a table cannot be read; the message names the key and the table.
  static Result<Decontamination> Of(const Config& config);
  Json Parameters() const;
  bool Refuses(const BenchmarkOverlap& overlap) const {
    return overlap.tier == OverlapTier::kGraph ||
           (patterns && overlap.tier == OverlapTier::kPattern);
  }
};

// The fingerprint of a module's graph, captured in the worker; nothing when the operator table
// cannot express the graph. A Status is a failure of the worker.
Result<std::optional<GraphFingerprint>> CaptureFingerprint(const std::string& code,
                                                           TorchWorker* worker);

// The fingerprints of a task's graph: the captured one, and the one that its generator recorded.
// The generator's exists even for graphs that cannot be captured.
Result<std::vector<GraphFingerprint>> FingerprintsOf(const Record& task, TorchWorker* worker);

}  // namespace kernelmill
