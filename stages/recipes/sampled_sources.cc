#include "stages/recipes/sampled_sources.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "corpora/dataset/dataset_reader.h"
#include "stages/recall/recall_step.h"
#include "stages/recipes/configured_sources.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// The origin of problems of KernelBench, and their licence.
constexpr char kKernelBenchUrl[] = "https://github.com/ScalingIntelligence/KernelBench";
constexpr char kKernelBenchLicence[] = "MIT";

Status ResolveItem(const Config& config, const Json& item, const std::string& key,
                   ResolvedSources* sources) {
  const auto text = [&](const char* name) { return item.Find(name)->as_string(); };
  const std::string dataset = text("dataset"), file = text("file"), bench = text("kernelbench");
  if (!dataset.empty() + !file.empty() + !bench.empty() != 1) {
    return Status(ErrorCode::kConfig,
                  "needs one of dataset: FOLDER, file: FILE and kernelbench: CHECKOUT");
  }
  if (!dataset.empty()) {
    TaskDataset found;
    found.folder = config.Path(kTasksKey, dataset);
    KM_ASSIGN(const DatasetReader reader, DatasetReader::Open(found.folder));
    found.merkle_root = reader.manifest().merkle_root;
    sources->datasets.push_back(std::move(found));
    return Status::Ok();
  }
  TaskSourceSpec spec = {.tasks = config.Path(kTasksKey, file),
                         .sha256 = text("sha256"),
                         .url = text("url"),
                         .name = text("name"),
                         .column = text("column"),
                         .licence = text("licence")};
  if (!bench.empty()) {
    const std::string folder = config.Path(kTasksKey, bench);
    std::error_code error;
    const bool whole = fs::is_directory(folder + "/KernelBench", error);
    spec.tasks = whole ? folder + "/KernelBench" : folder;
    if (spec.url.empty()) spec.url = kKernelBenchUrl;
    if (spec.licence.empty()) spec.licence = kKernelBenchLicence;
    sources->protected_urls.push_back(spec.url);
  }
  KM_ASSIGN(TaskSource source, ResolveTasks(spec, key));
  sources->tasks.push_back(std::move(source));
  return Status::Ok();
}

bool IsProtected(const ResolvedSources& sources, const TaskSource& source) {
  const std::vector<std::string>& urls = sources.protected_urls;
  return std::find(urls.begin(), urls.end(), source.url) != urls.end();
}

}  // namespace

Result<ResolvedSources> ResolveSampledSources(const Config& config) {
  ResolvedSources sources;
  const Json::Array& items = config.Value(kTasksKey).as_array();
  if (items.empty()) {
    return Status(ErrorCode::kConfig,
                  "tasks: name the dataset, file or checkout whose tasks the samples answer");
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string key = std::string(kTasksKey) + "[" + std::to_string(i) + "]";
    const Status status = ResolveItem(config, items[i], key, &sources);
    if (!status.ok()) return status.message().starts_with(key) ? status : status.Within(key);
  }
  std::sort(sources.datasets.begin(), sources.datasets.end(),
            [](const auto& a, const auto& b) { return a.merkle_root < b.merkle_root; });
  std::sort(sources.tasks.begin(), sources.tasks.end(), [](const auto& a, const auto& b) {
    return std::tie(a.url, a.sha256, a.column) < std::tie(b.url, b.sha256, b.column);
  });
  std::set<std::string> names;
  for (const TaskDataset& dataset : sources.datasets) {
    if (!names.insert(dataset.Name()).second) {
      return Status(ErrorCode::kConfig,
                    dataset.folder + " holds a dataset that `tasks` names twice");
    }
  }
  for (const TaskSource& source : sources.tasks) {
    if (!names.insert(source.Key()).second) {
      return Status(ErrorCode::kConfig, source.path + ": `tasks` names the same file twice");
    }
  }
  KM_ASSIGN(sources.samples, ResolveSamples(config));
  return sources;
}

Result<std::string> SampledConfigurationText(const Config& config, const ResolvedSources& sources) {
  Json json = config.ToJson();
  Json::Array tasks, samples;
  for (const TaskDataset& dataset : sources.datasets) {
    tasks.push_back(Json::Object{{"dataset", dataset.Name()}});
  }
  for (const TaskSource& source : sources.tasks) {
    tasks.push_back(
        Json::Object{{IsProtected(sources, source) ? "kernelbench" : "file", source.url},
                     {"sha256", source.sha256},
                     {"url", source.url},
                     {"name", source.name},
                     {"column", source.column},
                     {"licence", source.licence}});
  }
  for (const SampleSource& source : sources.samples) samples.push_back(source.ToJson());
  json[kTasksKey] = std::move(tasks);
  json[kSamplesKey] = std::move(samples);
  KM_RETURN_IF_ERROR(NameFilesByHash(config, &json));
  return json.Pretty();
}

}  // namespace kernelmill
