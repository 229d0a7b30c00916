#include "corpora/benchmark_table.h"

#include <algorithm>
#include <array>
#include <vector>

#include "corpora/operators/canonical_form.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

std::string Short(const Digest& digest) { return digest.Hex().substr(0, kFingerprintDigits); }

bool IsFingerprint(std::string_view text) {
  return text.size() == kFingerprintDigits &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

// If several problems have the same fingerprint, the first one by name is kept.
void KeepFirst(std::map<std::string, std::string, std::less<>>* index, std::string_view fingerprint,
               const std::string& problem) {
  std::string& entry = (*index)[std::string(fingerprint)];
  if (entry.empty() || problem < entry) entry = problem;
}

}  // namespace

GraphFingerprint GraphFingerprint::OfHashes(const std::string& graph, const std::string& pattern) {
  return {graph.substr(0, kFingerprintDigits), pattern.substr(0, kFingerprintDigits), ""};
}

GraphFingerprint FingerprintOf(const OperatorGraph& graph) {
  std::vector<std::string_view> names;
  for (const Node& node : graph.nodes()) {
    if (!ChangesNothing(graph, node)) names.push_back(node.op->name);
  }
  std::sort(names.begin(), names.end());
  Sha256 operators;
  for (const std::string_view name : names) operators.Field(name);
  return {Short(CanonicalHash(graph)), Short(CanonicalHash(graph, /*shapes=*/false)),
          Short(operators.Finish())};
}

std::string_view OverlapTierName(OverlapTier tier) {
  switch (tier) {
    case OverlapTier::kGraph:
      return "T1";
    case OverlapTier::kPattern:
      return "T2";
    case OverlapTier::kOperators:
      return "T3";
    case OverlapTier::kNone:
      return "none";
  }
  return "none";
}

Status BenchmarkTable::Add(const std::string& name, std::string_view text) {
  if (!text.starts_with(kBenchmarkTableHead)) {
    return Status(ErrorCode::kConfig, "it does not begin with the line of a table of fingerprints");
  }
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line[0] == '#') continue;
    std::array<std::string_view, 4> fields;
    std::string_view rest = line;
    for (std::string_view& field : fields) {
      field = rest.substr(0, rest.find('\t'));
      rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    }
    if (!rest.empty() || fields[0].empty() ||
        !std::all_of(fields.begin() + 1, fields.end(), IsFingerprint)) {
      return Status(ErrorCode::kConfig,
                    "line " + std::to_string(number) + " is no problem with three fingerprints");
    }
    const std::string problem = name + "/" + PrintableLine(fields[0]);
    KeepFirst(&by_graph_, fields[1], problem);
    KeepFirst(&by_pattern_, fields[2], problem);
    KeepFirst(&by_operators_, fields[3], problem);
  }
  return Status::Ok();
}

BenchmarkOverlap BenchmarkTable::Find(const GraphFingerprint& fingerprint) const {
  const auto graph = by_graph_.find(fingerprint.graph);
  if (graph != by_graph_.end()) return {OverlapTier::kGraph, graph->second};
  const auto pattern = by_pattern_.find(fingerprint.pattern);
  if (pattern != by_pattern_.end()) return {OverlapTier::kPattern, pattern->second};
  const auto operators = by_operators_.find(fingerprint.operators);
  if (operators != by_operators_.end()) return {OverlapTier::kOperators, operators->second};
  return {};
}

Digest BenchmarkTable::ContentDigest() const {
  Sha256 hash;
  for (const auto* index : {&by_graph_, &by_pattern_, &by_operators_}) {
    for (const auto& [fingerprint, problem] : *index) hash.Field(fingerprint).Field(problem);
    hash.Field("");
  }
  return hash.Finish();
}

std::string BenchmarkLine(std::string_view problem, const GraphFingerprint& fingerprint) {
  return PrintableLine(problem) + "\t" + fingerprint.graph + "\t" + fingerprint.pattern + "\t" +
         fingerprint.operators + "\n";
}

}  // namespace kernelmill
