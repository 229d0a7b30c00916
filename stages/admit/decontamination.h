// Keeps the problems of benchmarks out of a dataset: "admit" compares the text and the graph of each
// task with the configured benchmark tables and rejects a task that one of them has. Holds the
// configuration keys "decontaminate.…" and takes the fingerprints of tasks; `generate
// --fingerprints` makes such tables with the same functions. A run records the user's own table
// files (BenchmarkFiles()), so that an audit finds them again.
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
  // Empty when nothing is compared.
  std::vector<std::shared_ptr<const BenchmarkTable>> tables;
  bool patterns = false;  // Whether tier T2 (OverlapTier::kPattern) is refused like T0 and T1.
  // Whether refused tasks are kept with kProtectedAttribute, for samples of theirs to be judged.
  bool marks = false;

  // kConfig if a table cannot be read; the message names the key and the table.
  static Result<Decontamination> Of(const Config& config);
  Json Parameters() const;
  bool Refuses(OverlapTier tier) const {
    return tier <= OverlapTier::kGraph || (patterns && tier == OverlapTier::kPattern);
  }
};

// The fingerprint of a module's graph, captured in the worker; nothing when the operator table
// cannot express the graph. A Status is a failure of the worker.
Result<std::optional<GraphFingerprint>> CaptureFingerprint(const std::string& code,
                                                           TorchWorker* worker);

// The fingerprints of a task's text, and of its module without what gives the inputs.
TextFingerprint CodeFingerprint(const std::string& code);
TextFingerprint ModuleFingerprint(const std::string& code);

// The fingerprints of a task: of its text and module, of its captured graph, and of the graph that
// its generator recorded, which exists even for graphs that cannot be captured.
Result<TaskFingerprint> FingerprintsOf(const Record& task, TorchWorker* worker);

// The result of comparing a task with all tables.
struct TaskOverlap {
  BenchmarkOverlap closest;  // The first table's among equals.
  // How often which tier was found: "benchmark.T1" for all tables, "benchmark.T1.kernelbench" for
  // each, with kProblemCounter for the problem. For a task without a graph that has no problem's
  // text, only "benchmark.no_graph".
  std::vector<std::string> counters;
  std::string tier;  // OverlapTierName() or kNoGraph.

  // "T0 kernelbench/current/level1/19_ReLU, 0.97 of the text", or "… of the module"
  std::string Text() const;
};
TaskOverlap Compare(const TaskFingerprint& task, const Decontamination& benchmarks);

}  // namespace kernelmill
