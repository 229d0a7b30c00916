#include "corpora/benchmark_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "corpora/operators/canonical_form.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

std::string Short(const Digest& digest) { return digest.Hex().substr(0, kFingerprintDigits); }

constexpr std::size_t kGramDigits = 8;
// The share of a problem's grams that a task without a graph holds if it is the problem in other
// text, and how many times as much text as the problem's it may have.
constexpr double kHeldText = 0.9;
constexpr std::size_t kMostTextAround = 2;
constexpr std::string_view kNoFingerprint = "-";

bool IsHexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == text.npos;
}
bool IsFingerprint(std::string_view text) {
  return text.size() == kFingerprintDigits && IsHexadecimal(text);
}

bool AreGrams(std::string_view text) {
  return text.size() % kGramDigits == 0 && IsHexadecimal(text);
}

// If several problems have the same fingerprint, the first one by name is kept.
void KeepFirst(std::map<std::string, std::string, std::less<>>* index, std::string_view fingerprint,
               const std::string& problem) {
  std::string& entry = (*index)[std::string(fingerprint)];
  if (entry.empty() || problem < entry) entry = problem;
}

// Whether the operators of a task and a problem are known and are not the same.
bool KnownToDiffer(const std::vector<GraphFingerprint>& graphs, const std::string& operators) {
  bool known = false;
  for (const GraphFingerprint& graph : graphs) {
    if (graph.operators == operators) return false;
    known = known || !graph.operators.empty();
  }
  return known && !operators.empty();
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

TextFingerprint TextFingerprintOf(std::span<const std::uint64_t> grams) {
  TextFingerprint text;
  text.reserve(grams.size());
  for (const std::uint64_t gram : grams) text.push_back(static_cast<std::uint32_t>(gram >> 32));
  std::sort(text.begin(), text.end());
  text.erase(std::unique(text.begin(), text.end()), text.end());
  return text;
}

std::string_view OverlapTierName(OverlapTier tier) {
  switch (tier) {
    case OverlapTier::kText:
      return "T0";
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

Result<BenchmarkTable> BenchmarkTable::Parse(const std::string& name, std::string_view text) {
  if (!text.starts_with(kBenchmarkTableHead)) {
    return Status(ErrorCode::kConfig,
                  "it does not begin with the line \"" +
                      std::string(kBenchmarkTableHead.substr(0, kBenchmarkTableHead.size() - 1)) +
                      "\"; write it with `kernelmill generate --fingerprints`");
  }
  BenchmarkTable table;
  table.name_ = name;
  table.digest_ = Sha256().Field(name).Field(text).Finish();
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line[0] == '#') continue;
    const Status added = table.AddLine(line);
    if (!added.ok()) return added.Within("line " + std::to_string(number));
  }
  return table;
}

Status BenchmarkTable::AddLine(std::string_view line) {
  std::array<std::string_view, 6> fields;
  for (std::string_view& field : fields) {
    field = line.substr(0, line.find('\t'));
    line.remove_prefix(std::min(line.size(), field.size() + 1));
  }
  const auto graph = std::span(fields).subspan(1, 3);
  const bool has_graph = std::all_of(graph.begin(), graph.end(), IsFingerprint);
  const bool no_graph = std::all_of(graph.begin(), graph.end(),
                                    [](std::string_view field) { return field == kNoFingerprint; });
  if (!line.empty() || fields[0].empty() || (!has_graph && !no_graph) || !AreGrams(fields[4]) ||
      !AreGrams(fields[5])) {
    return Status(ErrorCode::kConfig,
                  "it is no problem with three fingerprints and the grams of its text and module");
  }
  Problem problem{.name = name_ + "/" + PrintableLine(fields[0])};
  if (has_graph) {
    problem.operators = fields[3];
    KeepFirst(&by_graph_, fields[1], problem.name);
    KeepFirst(&by_pattern_, fields[2], problem.name);
    KeepFirst(&by_operators_, fields[3], problem.name);
  }
  texts_.Add(fields[4]);
  modules_.Add(fields[5]);
  problems_.push_back(std::move(problem));
  return Status::Ok();
}

void BenchmarkTable::Texts::Add(std::string_view digits) {
  const auto number = static_cast<std::uint32_t>(grams.size());
  grams.push_back(digits.size() / kGramDigits);
  for (; !digits.empty(); digits.remove_prefix(kGramDigits)) {
    std::uint32_t gram = 0;
    std::from_chars(digits.data(), digits.data() + kGramDigits, gram, 16);
    by_gram[gram].push_back(number);
  }
}

std::vector<std::size_t> BenchmarkTable::Texts::SharedWith(const TextFingerprint& text) const {
  std::vector<std::size_t> shared(grams.size());
  for (const std::uint32_t gram : text) {
    const auto found = by_gram.find(gram);
    if (found == by_gram.end()) continue;
    for (const std::uint32_t number : found->second) ++shared[number];
  }
  return shared;
}

BenchmarkOverlap BenchmarkTable::FindText(const TaskFingerprint& task, bool modules) const {
  const TextFingerprint& text = modules ? task.module : task.text;
  const Texts& texts = modules ? modules_ : texts_;
  const std::vector<std::size_t> shared = texts.SharedWith(text);
  BenchmarkOverlap overlap;
  for (std::size_t i = 0; i < problems_.size(); ++i) {
    if (shared[i] == 0) continue;
    const Problem& problem = problems_[i];
    const std::size_t grams = texts.grams[i], all = grams + text.size() - shared[i];
    const double similarity = static_cast<double>(shared[i]) / static_cast<double>(all);
    if (modules && grams < kLeastModule && (shared[i] < all || !task.graphs.empty())) continue;
    // Where no graph can tell, a text that holds nearly all of the problem's, such as a copy in a
    // wrapper, is the problem too.
    const bool held =
        problem.operators.empty() && task.graphs.empty() &&
        text.size() <= kMostTextAround * grams &&
        static_cast<double>(shared[i]) >= kHeldText * static_cast<double>(grams);
    if (!held &&
        similarity < (KnownToDiffer(task.graphs, problem.operators) ? kSameText : kSimilarText)) {
      continue;
    }
    if (similarity > overlap.similarity ||
        (similarity == overlap.similarity && problem.name < overlap.problem)) {
      overlap = {OverlapTier::kText, problem.name, similarity, modules};
    }
  }
  return overlap;
}

BenchmarkOverlap BenchmarkTable::Find(const TaskFingerprint& task) const {
  BenchmarkOverlap overlap = FindText(task, /*modules=*/false);
  if (overlap.tier == OverlapTier::kNone) overlap = FindText(task, /*modules=*/true);
  if (overlap.tier == OverlapTier::kText) return overlap;
  const auto look = [&](const Index& index, const std::string& fingerprint, OverlapTier tier) {
    const auto found = index.find(fingerprint);
    if (found != index.end() && tier < overlap.tier) overlap = {tier, found->second};
  };
  for (const GraphFingerprint& graph : task.graphs) {
    look(by_graph_, graph.graph, OverlapTier::kGraph);
    look(by_pattern_, graph.pattern, OverlapTier::kPattern);
    look(by_operators_, graph.operators, OverlapTier::kOperators);
  }
  return overlap;
}

std::string BenchmarkLine(std::string_view problem, const std::optional<GraphFingerprint>& graph,
                          const TextFingerprint& text, const TextFingerprint& module) {
  std::string line = PrintableLine(problem);
  for (const auto field :
       {&GraphFingerprint::graph, &GraphFingerprint::pattern, &GraphFingerprint::operators}) {
    line += '\t';
    line += graph ? (*graph).*field : kNoFingerprint;
  }
  for (const TextFingerprint* grams : {&text, &module}) {
    line += '\t';
    for (const std::uint32_t gram : *grams) {
      char digits[kGramDigits + 1];
      std::snprintf(digits, sizeof digits, "%08x", gram);
      line += digits;
    }
  }
  return line + '\n';
}

}  // namespace kernelmill
