#include "stages/admit/decontamination.h"

#include <cstdio>
#include <filesystem>

#include "corpora/records/task.h"
#include "manifests/commit_file.h"
#include "parsers/statement_grams.h"
#include "stages/capture/captured_graph.h"
#include "stages/capture/run_capture.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr char kGraphAttribute[] = "graph";  // Set by TaskGenerator::ToRecord().
constexpr char kPatternsKey[] = "decontaminate.patterns";

std::string ShippedTable(const std::string& name) {
  return (CheckoutRoot() / "corpora/benchmarks" / (name + ".tsv")).string();
}

bool IsShipped(const std::string& name) {
  std::error_code error;
  return name.find_first_of("/.") == name.npos && fs::exists(ShippedTable(name), error);
}

}  // namespace

std::vector<ConfigKey> DecontaminateKeys() {
  return {
      {kBenchmarkTablesKey, ConfigType::kStrings,
       Json(Json::Array{"kernelbench", "multikernelbench", "robust_kbench", "sol_execbench"}), "",
       "Benchmarks whose problems are kept out of the dataset, by the fingerprints of their "
       "texts and operator graphs: kernelbench, multikernelbench, robust_kbench, sol_execbench, or "
       "files that `kernelmill generate --fingerprints` has written. Tasks with nearly the text of "
       "a problem, or with its graph and its shapes, are rejected."},
      {kPatternsKey, ConfigType::kBool, false, "",
       "Whether tasks with the graph of a problem at other shapes are rejected too, not only "
       "counted."},
  };
}

Result<std::vector<std::pair<std::string, Digest>>> BenchmarkFiles(const Config& config) {
  std::vector<std::pair<std::string, Digest>> files;
  for (const std::string& name : config.Strings(kBenchmarkTablesKey)) {
    if (IsShipped(name)) continue;
    const Result<Digest> digest = DigestOfFile(config.Path(kBenchmarkTablesKey, name));
    if (!digest.ok()) {
      return Status(ErrorCode::kConfig,
                    std::string(kBenchmarkTablesKey) + ": " + name +
                        " is not a known benchmark, and there is no readable file of that name");
    }
    files.emplace_back(name, *digest);
  }
  return files;
}

Result<Decontamination> Decontamination::Of(const Config& config) {
  Decontamination decontamination;
  decontamination.patterns = config.Bool(kPatternsKey);
  KM_RETURN_IF_ERROR(BenchmarkFiles(config).status());
  for (const std::string& name : config.Strings(kBenchmarkTablesKey)) {
    const bool shipped = IsShipped(name);
    KM_ASSIGN(const std::string text,
              ReadFile(shipped ? ShippedTable(name) : config.Path(kBenchmarkTablesKey, name)));
    // The names of the user's files must not enter a dataset.
    const std::string shown = shipped ? name : DigestOf(text).Hex().substr(0, 12);
    Result<BenchmarkTable> table = BenchmarkTable::Parse(shown, text);
    if (!table.ok()) return table.status().Within(name).Within(kBenchmarkTablesKey);
    decontamination.tables.push_back(std::make_shared<const BenchmarkTable>(*std::move(table)));
  }
  return decontamination;
}

Json Decontamination::Parameters() const {
  Json::Array named;
  for (const auto& table : tables) {
    named.push_back(Json::Object{{"name", table->name()},
                                 {"problems", static_cast<std::int64_t>(table->problems())},
                                 {"digest", table->ContentDigest().Hex()}});
  }
  Json parameters = Json::Object{{"tables", std::move(named)}, {"patterns", patterns}};
  if (marks) parameters["marks"] = true;
  return parameters;
}

Result<std::optional<GraphFingerprint>> CaptureFingerprint(const std::string& code,
                                                           TorchWorker* worker) {
  KM_ASSIGN(CapturedRun run, CaptureRun(code, {}, worker));
  if (!run.obstacle.empty()) return std::optional<GraphFingerprint>();
  const CapturedGraph capture = GraphOfRun(std::move(run));
  if (!capture.complete()) return std::optional<GraphFingerprint>();
  return std::optional(FingerprintOf(capture.graph));
}

TextFingerprint CodeFingerprint(const std::string& code) {
  return TextFingerprintOf(StatementGrams(code));
}

TextFingerprint ModuleFingerprint(const std::string& code) {
  return TextFingerprintOf(ModuleGrams(code));
}

Result<TaskFingerprint> FingerprintsOf(const Record& task, TorchWorker* worker) {
  TaskFingerprint fingerprints;
  const std::string& code = task.payload.Find("code")->as_string();
  fingerprints.text = CodeFingerprint(code);
  fingerprints.module = ModuleFingerprint(code);
  KM_ASSIGN(std::optional<GraphFingerprint> captured, CaptureFingerprint(code, worker));
  if (captured) fingerprints.graphs.push_back(*std::move(captured));
  const auto graph = task.attributes.find(kGraphAttribute);
  const auto pattern = task.attributes.find(kPatternAttribute);
  if (graph != task.attributes.end() && pattern != task.attributes.end()) {
    fingerprints.graphs.push_back(
        GraphFingerprint::OfHashes(graph->second.as_string(), pattern->second.as_string()));
  }
  return fingerprints;
}

TaskOverlap Compare(const TaskFingerprint& task, const Decontamination& benchmarks) {
  TaskOverlap overlap;
  for (const auto& table : benchmarks.tables) {
    BenchmarkOverlap found = table->Find(task);
    if (found.tier == OverlapTier::kNone) continue;
    const std::string tier(OverlapTierName(found.tier));
    overlap.counters.push_back("benchmark." + tier + "." + table->name());
    overlap.counters.push_back(std::string(kProblemCounter) + tier + "." + found.problem);
    if (found.tier < overlap.closest.tier) overlap.closest = std::move(found);
  }
  const bool unknown = overlap.counters.empty() && task.graphs.empty();
  overlap.tier = unknown ? kNoGraph : OverlapTierName(overlap.closest.tier);
  overlap.counters.push_back("benchmark." + overlap.tier);
  return overlap;
}

std::string TaskOverlap::Text() const {
  std::string text = tier + " " + closest.problem;
  if (closest.tier != OverlapTier::kText) return text;
  char similarity[32];
  std::snprintf(similarity, sizeof similarity, ", %.2f of the %s", closest.similarity,
                closest.module ? "module" : "text");
  return text + similarity;
}

}  // namespace kernelmill
