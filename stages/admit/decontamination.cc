#include "stages/admit/decontamination.h"

#include <filesystem>

#include "corpora/records/task.h"
#include "manifests/commit_file.h"
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
      {kBenchmarkTablesKey, ConfigType::kStrings, Json(Json::Array{"kernelbench"}), "",
       "Benchmarks whose problems are kept out of the dataset, by the fingerprints of their "
       "operator graphs: kernelbench, or files that `kernelmill generate --fingerprints` has "
       "written. Tasks with the graph and the shapes of a problem are rejected."},
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
  auto table = std::make_shared<BenchmarkTable>();
  for (const std::string& name : config.Strings(kBenchmarkTablesKey)) {
    const bool shipped = IsShipped(name);
    KM_ASSIGN(const std::string text,
              ReadFile(shipped ? ShippedTable(name) : config.Path(kBenchmarkTablesKey, name)));
    // The names of the user's files must not enter a dataset.
    const std::string shown = shipped ? name : DigestOf(text).Hex().substr(0, 12);
    const Status added = table->Add(shown, text);
    if (!added.ok()) return added.Within(name).Within(kBenchmarkTablesKey);
  }
  if (!table->empty()) decontamination.table = std::move(table);
  return decontamination;
}

Json Decontamination::Parameters() const {
  Json parameters = Json::Object{{"table", table == nullptr ? "" : table->ContentDigest().Hex()},
                                 {"patterns", patterns}};
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

Result<std::vector<GraphFingerprint>> FingerprintsOf(const Record& task, TorchWorker* worker) {
  std::vector<GraphFingerprint> fingerprints;
  KM_ASSIGN(std::optional<GraphFingerprint> captured,
            CaptureFingerprint(task.payload.Find("code")->as_string(), worker));
  if (captured) fingerprints.push_back(*std::move(captured));
  const auto graph = task.attributes.find(kGraphAttribute);
  const auto pattern = task.attributes.find(kPatternAttribute);
  if (graph != task.attributes.end() && pattern != task.attributes.end()) {
    fingerprints.push_back(
        GraphFingerprint::OfHashes(graph->second.as_string(), pattern->second.as_string()));
  }
  return fingerprints;
}

}  // namespace kernelmill
