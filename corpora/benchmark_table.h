// Problems of protected benchmarks as hashes of their operator graphs, so that no task is trained
// on that a model will be examined with. A table says nothing of a problem but these.
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

// As many digits of SHA-256 as tables hold.
inline constexpr std::size_t kFingerprintDigits = 32;

struct GraphFingerprint {
  std::string graph;      // CanonicalHash() with all shapes,
  std::string pattern;    // and without.
  std::string operators;  // Over the names of the operators, sorted, as often as they are there.

  // Of whole hashes; without operators, which then match none.
  static GraphFingerprint OfHashes(const std::string& graph, const std::string& pattern);

  friend bool operator==(const GraphFingerprint&, const GraphFingerprint&) = default;
};
GraphFingerprint FingerprintOf(const OperatorGraph& graph);

// How near a task is to a problem, nearest first.
enum class OverlapTier {
  kGraph,      // T1: the same graph at the same shapes.
  kPattern,    // T2: the same graph at others.
  kOperators,  // T3: the same operators, put together otherwise.
  kNone,
};
// "T1", "T2", "T3" or "none".
std::string_view OverlapTierName(OverlapTier tier);

struct BenchmarkOverlap {
  OverlapTier tier = OverlapTier::kNone;
  std::string problem;  // The first in the order of names; empty where there is none.
};

class BenchmarkTable {
 public:
  // Adds a table, whose problems are called <name>/… from here. kConfig when the text is none.
  Status Add(const std::string& name, std::string_view text);
  BenchmarkOverlap Find(const GraphFingerprint& fingerprint) const;

  bool empty() const { return by_graph_.empty(); }
  // Of all that was added.
  Digest ContentDigest() const;

 private:
  // Fingerprint → problem.
  std::map<std::string, std::string, std::less<>> by_graph_, by_pattern_, by_operators_;
};

inline constexpr std::string_view kBenchmarkTableHead = "# kernelmill benchmark table 1\n";
// A table's line. What would break it in the name is escaped.
std::string BenchmarkLine(std::string_view problem, const GraphFingerprint& fingerprint);

// Attribute of a task's record that was compared: OverlapTierName(), or kNoGraph.
inline constexpr char kOverlapAttribute[] = "benchmark_overlap";
inline constexpr char kNoGraph[] = "no_graph";

}  // namespace kernelmill
