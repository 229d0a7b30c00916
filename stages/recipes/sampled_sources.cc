#include "stages/recipes/sampled_sources.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "corpora/dataset/dataset_reader.h"
#include "manifests/commit_file.h"
#include "stages/buffer/buffer_step.h"
#include "stages/recall/recall_step.h"
#include "stages/recipes/configured_sources.h"
#include "stages/reward/reward_options.h"
#include "stages/select/select_step.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// The manifest of a finished dataset lists its files. kCorrupt when one of retry/ is another.
Status CheckListed(const std::string& dataset) {
  KM_ASSIGN(const DatasetReader reader, DatasetReader::Open(dataset));
  for (const FileEntry& listed : reader.manifest().files) {
    if (FolderOf(listed.path) != kRetryFolderName) continue;
    KM_ASSIGN(const FileEntry found, FileEntry::Of(dataset, listed.path));
    if (found == listed) continue;
    return Status(ErrorCode::kCorrupt, dataset + "/" + listed.path +
                                           ": it is not the file that the manifest lists; it was "
                                           "changed after its round had written it");
  }
  return Status::Ok();
}

// Finds what the round before has left, and checks that `retry.round` is the one after it.
Status ResolvePrevious(const Config& config, ResolvedSources* sources) {
  const std::string previous = config.Path(kPreviousRoundKey);
  const std::int64_t round = config.Integer(kRoundKey);
  const std::string asked = "round " + std::to_string(round);
  if (previous.empty()) {
    if (round <= 1) return Status::Ok();
    return Status(ErrorCode::kConfig, std::string(kPreviousRoundKey) + ": " + asked +
                                          " goes on with the retry buffer of round " +
                                          std::to_string(round - 1) +
                                          "; name the dataset of that round");
  }
  std::error_code error;
  const bool is_folder = fs::is_directory(previous, error);
  const std::string folder = is_folder ? previous + "/" + std::string(kRetryFolderName)
                                       : FolderOf(previous);
  const auto refuse = [&](const std::string& why) {
    return Status(ErrorCode::kConfig, std::string(kPreviousRoundKey) + ": " + why);
  };
  if (is_folder) KM_RETURN_IF_ERROR(CheckListed(previous).Within(kPreviousRoundKey));
  Result<RetryFolder> retry = ReadRetryFolder(folder);
  if (retry.status().code() == ErrorCode::kNotFound) {
    return refuse(previous + " has no " + std::string(kRetryFolderName) + "/" +
                  std::string(kRetryRoundName) + ", which `rft` writes");
  }
  if (!retry.ok()) return retry.status().Within(kPreviousRoundKey);
  const std::int64_t before = retry->file.generation.round;
  if (round != 0 && round != before + 1) {
    return refuse(previous + " holds the retry buffer of round " + std::to_string(before) +
                  ", which round " + std::to_string(before + 1) + " goes on with, not " + asked);
  }
  sources->previous_path = folder + "/" + std::string(kRetryRoundName);
  sources->previous = std::make_shared<const RetryFolder>(std::move(retry).value());
  return Status::Ok();
}

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

Result<ResolvedSources> ResolveSampledTasks(const Config& config) {
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
  return sources;
}

Result<ResolvedSources> ResolveSampledSources(const Config& config) {
  KM_ASSIGN(ResolvedSources sources, ResolveSampledTasks(config));
  KM_ASSIGN(sources.samples, ResolveSamples(config));
  if (!config.String(kPolicyLogProbsKey).empty()) {
    Result<SampleSource> policy = SampleFileAt(config.Path(kPolicyLogProbsKey));
    if (!policy.ok()) return policy.status().Within(kPolicyLogProbsKey);
    sources.policy = *std::move(policy);
  }
  if (const std::string path = config.Path(kMeasurementsKey); !path.empty()) {
    const Result<Digest> digest = DigestOfFile(path);
    if (!digest.ok()) return digest.status().Within(kMeasurementsKey);
    sources.measurements = *digest;
  }
  KM_RETURN_IF_ERROR(ResolvePrevious(config, &sources));
  return sources;
}

std::int64_t RoundOf(const ResolvedSources& sources) {
  return sources.previous ? sources.previous->file.generation.round + 1 : 1;
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
  if (sources.policy) json[kPolicyLogProbsKey] = "sha256:" + sources.policy->sha256;
  if (sources.measurements) json[kMeasurementsKey] = "sha256:" + sources.measurements->Hex();
  if (sources.previous) json[kPreviousRoundKey] = "sha256:" + sources.previous->digest.Hex();
  json[kRoundKey] = RoundOf(sources);
  json[kTasksKey] = std::move(tasks);
  json[kSamplesKey] = std::move(samples);
  KM_RETURN_IF_ERROR(NameFilesByHash(config, &json));
  return json.Pretty();
}

}  // namespace kernelmill
