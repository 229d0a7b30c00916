// A table of the problems of a protected benchmark such as KernelBench, stored as hashes of their
// operator graphs. The step "admit" looks every task up in it, and keeps tasks that overlap a
// benchmark problem out of the training data, although the table holds nothing of the problem but
// its name and three hashes. A table is a text file:
//
//   # kernelmill benchmark table 1
//   level1/19_ReLU <TAB> graph <TAB> pattern <TAB> operators        (each 32 hexadecimal digits)
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "corpora/operators/operator_graph.h"
#include "manifests/digest.h"
#include "manifests/status.h"

namespace kernelmill {

// The number of hexadecimal digits of a SHA-256 hash that a table stores.
inline constexpr std::size_t kFingerprintDigits = 32;

struct GraphFingerprint {
  std::string graph;      // CanonicalHash() with all shapes.
  std::string pattern;    // CanonicalHash() without sizes.
  std::string operators;  // The hash of the sorted operator names, repeated names included.

  // From two whole hashes, which are shortened. `operators` stays empty and matches no problem.
  static GraphFingerprint OfHashes(const std::string& graph, const std::string& pattern);

  friend bool operator==(const GraphFingerprint&, const GraphFingerprint&) = default;
};
GraphFingerprint FingerprintOf(const OperatorGraph& graph);

// How close a task is to a benchmark problem, closest first.
enum class OverlapTier {
  kGraph,      // T1: the same graph at the same shapes.
  kPattern,    // T2: the same graph at other shapes.
  kOperators,  // T3: the same operators, connected differently.
  kNone,
};
// "T1", "T2", "T3" or "none".
std::string_view OverlapTierName(OverlapTier tier);

struct BenchmarkOverlap {
  OverlapTier tier = OverlapTier::kNone;
  std::string problem;  // The first match by name; empty when there is none.
};

class BenchmarkTable {
 public:
  // Adds a table; its problems are called "<name>/…". kConfig when `text` is not a valid table.
  Status Add(const std::string& name, std::string_view text);
  // The closest match of all added tables.
  BenchmarkOverlap Find(const GraphFingerprint& fingerprint) const;

  bool empty() const { return by_graph_.empty(); }
  // Covers all added tables.
  Digest ContentDigest() const;

 private:
  // Fingerprint → problem.
  std::map<std::string, std::string, std::less<>> by_graph_, by_pattern_, by_operators_;
};

inline constexpr std::string_view kBenchmarkTableHead = "# kernelmill benchmark table 1\n";
// The line of a table for one problem. Control characters in the name are escaped.
std::string BenchmarkLine(std::string_view problem, const GraphFingerprint& fingerprint);

// The attribute of a task's record that holds the result of the comparison: OverlapTierName(), or
// kNoGraph when the task has no operator graph.
inline constexpr char kOverlapAttribute[] = "benchmark_overlap";
inline constexpr char kNoGraph[] = "no_graph";
// The attribute of a task's record that names the benchmark problem which it is. Only tasks that
// samples answer have it: other tasks of benchmarks are rejected.
inline constexpr char kProtectedAttribute[] = "protected";

}  // namespace kernelmill
