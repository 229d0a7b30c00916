// A table of the problems of a protected benchmark such as KernelBench, stored as hashes of their
// operator graphs and texts. The step "admit" looks every task up in it, and keeps tasks that
// overlap a benchmark problem out of the training data, although the table holds nothing of the
// problem but its name and hashes. A table is a text file:
//
//   # kernelmill benchmark table 3
//   level1/19_ReLU <TAB> graph <TAB> pattern <TAB> operators <TAB> grams <TAB> module
//
// The first three have 32 hexadecimal digits each, or are "-" for a problem without an operator
// graph. The grams of the text (parsers/statement_grams.h) have 8 digits each, without separators.
// A problem that is given for several sets of inputs has the grams of its module, too, which are
// the same at any set; of other problems, "module" is empty. Further graphs have lines without
// grams.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

// The grams of a text as a table stores them: shortened, ascending, each once.
using TextFingerprint = std::vector<std::uint32_t>;
TextFingerprint TextFingerprintOf(std::span<const std::uint64_t> grams);

// What is compared of a task.
struct TaskFingerprint {
  TextFingerprint text, module;  // Of StatementGrams() and ModuleGrams().
  std::vector<GraphFingerprint> graphs;  // None when the task has no operator graph.
};

// How close a task is to a benchmark problem, closest first.
enum class OverlapTier {
  kText,       // T0: nearly the same text.
  kGraph,      // T1: the same graph at the same shapes.
  kPattern,    // T2: the same graph at other shapes.
  kOperators,  // T3: the same operators, connected differently.
  kNone,
};
inline constexpr OverlapTier kOverlapTiers[] = {OverlapTier::kText, OverlapTier::kGraph,
                                                OverlapTier::kPattern, OverlapTier::kOperators};
// "T0", "T1", "T2", "T3" or "none".
std::string_view OverlapTierName(OverlapTier tier);

// Of their grams, two texts of one problem share at least this much (the Jaccard similarity).
// Short modules that compute different things share most of their text too: if the graphs of both
// are known and have different operators, kSameText is asked for.
inline constexpr double kSimilarText = 0.8;
inline constexpr double kSameText = 0.95;
// So do two modules, if they have at least this many grams: many tasks only call one function. Two
// smaller modules have to be equal, and the task must have no graph that could tell more.
inline constexpr std::size_t kLeastModule = 8;

struct BenchmarkOverlap {
  OverlapTier tier = OverlapTier::kNone;
  std::string problem;    // "<table>/…", the first by name; empty when there is none.
  double similarity = 0;  // Of the texts, for kText.
  bool module = false;    // Whether it is that of the modules.
};

class BenchmarkTable {
 public:
  // Reads a table; its problems are called "<name>/…". kConfig when `text` is not a valid table.
  static Result<BenchmarkTable> Parse(const std::string& name, std::string_view text);
  // The closest match.
  BenchmarkOverlap Find(const TaskFingerprint& task) const;

  const std::string& name() const { return name_; }
  std::size_t problems() const { return problems_.size(); }
  Digest ContentDigest() const { return digest_; }

 private:
  struct Problem {
    std::string name, operators;  // `operators` is empty without a graph.
  };
  // Texts of problems by their grams.
  struct Texts {
    std::vector<std::size_t> grams;  // How many the text of each problem has.
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_gram;  // Numbers of problems.

    void Add(std::string_view digits);
    // How many grams of `text` each problem has.
    std::vector<std::size_t> SharedWith(const TextFingerprint& text) const;
  };
  using Index = std::map<std::string, std::string, std::less<>>;  // Fingerprint → problem.

  Status AddLine(std::string_view line);
  BenchmarkOverlap FindText(const TaskFingerprint& task, bool modules) const;

  std::string name_;
  Digest digest_;
  std::vector<Problem> problems_;
  Texts texts_, modules_;
  Index by_graph_, by_pattern_, by_operators_;
};

inline constexpr std::string_view kBenchmarkTableHead = "# kernelmill benchmark table 3\n";
// The line of a table for one problem. Control characters in the name are escaped.
std::string BenchmarkLine(std::string_view problem, const std::optional<GraphFingerprint>& graph,
                          const TextFingerprint& text, const TextFingerprint& module = {});

// Begins the counters of "admit" that say how many tasks have which problem of a table as their
// closest one, rejected tasks included: "benchmark_problem.T2.kernelbench/current/level1/19_ReLU".
inline constexpr std::string_view kProblemCounter = "benchmark_problem.";

// The attribute of a task's record that holds the result of the comparison: OverlapTierName(), or
// kNoGraph when the task has no operator graph.
inline constexpr char kOverlapAttribute[] = "benchmark_overlap";
inline constexpr char kNoGraph[] = "no_graph";
// The attribute of a task's record that names the benchmark problem which it is. Only tasks that
// samples answer have it: other tasks of benchmarks are rejected.
inline constexpr char kProtectedAttribute[] = "protected";

}  // namespace kernelmill
