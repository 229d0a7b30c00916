#include "stages/audit/dataset_configuration.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "stages/admit/decontamination.h"
#include "stages/buffer/buffer_step.h"
#include "stages/measure/measure_step.h"
#include "stages/recall/recall_step.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/rft_pipeline.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/reward/reward_options.h"
#include "stages/select/select_step.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// Where the run of a dataset found its sources; an empty object when that is not known here.
Json RememberedPlaces(const std::string& folder) {
  const Result<std::string> text =
      ReadFile(folder + "/" + std::string(kRunFolderName) + "/" + std::string(kFoldersName));
  if (!text.ok()) return Json::Object();
  const Result<Json> json = Json::Parse(*text);
  return json.ok() && json->is_object() ? *json : Json(Json::Object());
}

std::optional<std::string> Remembered(const std::string& folder, const std::string& url) {
  const Json places = RememberedPlaces(folder);
  const Json* found = places.Find(url);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->as_string();
}

// A dataset names some files by their hashes. Replaces such a hash by the path of the file on this
// machine. `what`, for messages: "tokens were counted by the tokenizer.json".
Status FindFile(const std::string& folder, const RederiveOptions& options, const std::string& what,
                Json* configured) {
  if (!configured->is_string() || !configured->as_string().starts_with("sha256:")) {
    return Status::Ok();
  }
  const std::string name = configured->as_string();
  const auto given = options.sources.find(name);
  const std::optional<std::string> path =
      given != options.sources.end() ? std::optional(given->second) : Remembered(folder, name);
  if (!path) {
    return Status(ErrorCode::kNotFound,
                  what + " with " + name + "; say where it lies: --source " + name + "=PATH");
  }
  KM_ASSIGN(const Digest digest, DigestOfFile(*path));
  if ("sha256:" + digest.Hex() != name) {
    return Status(ErrorCode::kUsage, *path + " is not the file with " + name + ": " + what);
  }
  *configured = fs::absolute(*path).string();
  return Status::Ok();
}

// Finds the repositories and files of tasks that `sources` names.
Status FindSources(const std::string& folder, const RederiveOptions& options,
                   const std::string& path, Json* configuration) {
  Json& json = *configuration;
  const Json* sources = json.Find(kSourcesKey);
  if (sources == nullptr || !sources->is_array()) {
    return Status(ErrorCode::kCorrupt, path + ": names no sources");
  }
  for (Json& source : json[kSourcesKey].as_array()) {
    const Json* url = source.Find("url");
    if (url == nullptr || !url->is_string()) {
      return Status(ErrorCode::kCorrupt, path + ": a source without a url");
    }
    const std::string origin = url->as_string();
    const auto given = options.sources.find(origin);
    if (source.Find("tasks") != nullptr) {
      const std::string name = "sha256:" + source.TextAt("revision");
      const std::optional<std::string> path =
          given != options.sources.end() ? std::optional(given->second) : Remembered(folder, name);
      if (!path) {
        return Status(ErrorCode::kNotFound,
                      "the tasks of " + origin + " with " + name +
                          " are not known here; give their locations with --source " + origin +
                          "=PATH");
      }
      source["tasks"] = fs::absolute(*path).string();
      continue;
    }
    if (given != options.sources.end()) {
      source["git"] = IsUrl(given->second) ? given->second : fs::absolute(given->second).string();
    } else if (const auto known = Remembered(folder, origin)) {
      source["git"] = *known;
    } else if (!IsUrl(origin)) {
      return Status(ErrorCode::kNotFound,
                    "the source " + origin +
                        " cannot be fetched; give its location with --source " + origin + "=PATH");
    }
  }
  return Status::Ok();
}

// Finds the datasets and files that `tasks` and `samples` name.
Status FindSampledSources(const std::string& folder, const RederiveOptions& options, Json* json) {
  for (const char* list : {kTasksKey, kSamplesKey}) {
    if (!(*json)[list].is_array()) continue;
    for (Json& item : (*json)[list].as_array()) {
      const bool is_dataset = item.Find("dataset") != nullptr;
      const bool is_checkout = item.Find("kernelbench") != nullptr;
      Json& place = item[is_dataset ? "dataset" : is_checkout ? "kernelbench" : "file"];
      const std::string name = is_dataset ? place.as_string() : "sha256:" + item.TextAt("sha256");
      const auto given = options.sources.find(name);
      const std::optional<std::string> path =
          given != options.sources.end() ? std::optional(given->second) : Remembered(folder, name);
      if (!path) {
        return Status(ErrorCode::kNotFound, std::string(list) + ": " + name +
                                                " is not known here; say where it lies: --source " +
                                                name + "=PATH");
      }
      place = fs::absolute(*path).string();
    }
  }
  return Status::Ok();
}

}  // namespace

Status CheckOtherFolder(const std::string& dataset, const std::string& output) {
  std::error_code error;
  if (fs::weakly_canonical(dataset, error) != fs::weakly_canonical(output, error)) {
    return Status::Ok();
  }
  return Status(ErrorCode::kUsage, "--output names the dataset " + dataset +
                                       "; name a new folder, and remove the dataset when the new "
                                       "one is there");
}

Result<DatasetConfiguration> PublishedConfiguration(const std::string& folder) {
  const std::string name(kConfigurationName);
  KM_ASSIGN(const std::string text, ReadFile(folder + "/" + name));
  const Result<Json> json = Json::Parse(text);
  if (!json.ok()) return Status(ErrorCode::kCorrupt, json.status().message());
  if (!json->is_object() || json->Pretty() != text) {
    return Status(ErrorCode::kCorrupt, "it is not in the form in which kernelmill writes it");
  }
  const bool sampled = json->Find(kSamplesKey) != nullptr;
  const std::vector<ConfigKey> keys = sampled ? RftKeys() : SftKeys();
  for (const ConfigKey& key : keys) {
    if (json->Find(key.name) != nullptr) continue;
    return Status(ErrorCode::kCorrupt, "it does not set '" + key.name +
                                           "': it was changed, or another version of kernelmill "
                                           "built the dataset, which then has to audit it");
  }
  Result<Config> config = Config::Parse(keys, text, name, {});
  if (!config.ok()) return Status(ErrorCode::kCorrupt, config.status().message());
  return DatasetConfiguration{*std::move(config), sampled};
}

void RemoveDefaults(bool sampled, Json* configuration) {
  for (const ConfigKey& key : sampled ? RftKeys() : SftKeys()) {
    const Json* const value = configuration->Find(key.name);
    if (value == nullptr || key.name == kSourcesKey) continue;
    if (*value == key.default_value) configuration->as_object().erase(key.name);
  }
}

void AddPlaces(const std::string& folder, RederiveOptions* options) {
  const Json places = RememberedPlaces(folder);
  for (const auto& [origin, path] : places.as_object()) {
    if (path.is_string()) options->sources.emplace(origin, path.as_string());
  }
}

Result<DatasetConfiguration> ReadConfiguration(const std::string& folder,
                                               const RederiveOptions& options,
                                               const ConfigurationEdit& edit) {
  const std::string path = folder + "/" + std::string(kConfigurationName);
  KM_ASSIGN(const std::string text, ReadFile(path));
  KM_ASSIGN(Json json, Json::Parse(text));
  if (edit) KM_RETURN_IF_ERROR(edit(&json));
  const bool sampled = json.Find(kSamplesKey) != nullptr;
  KM_RETURN_IF_ERROR(sampled ? FindSampledSources(folder, options, &json)
                             : FindSources(folder, options, path, &json));
  if (json.Find(kTokenizerKey) != nullptr) {
    KM_RETURN_IF_ERROR(FindFile(folder, options, "tokens were counted by the tokenizer.json",
                                &json[kTokenizerKey]));
  }
  if (json.Find(kPreviousRoundKey) != nullptr) {
    KM_RETURN_IF_ERROR(FindFile(folder, options, "the run went on with the retry/round.json",
                                &json[kPreviousRoundKey]));
  }
  if (json.Find(kPolicyLogProbsKey) != nullptr) {
    KM_RETURN_IF_ERROR(FindFile(folder, options, "samples were compared with the log-probs",
                                &json[kPolicyLogProbsKey]));
  }
  if (json.Find(kMeasurementsKey) != nullptr) {
    KM_RETURN_IF_ERROR(FindFile(folder, options, "samples have the times of the measurements.jsonl",
                                &json[kMeasurementsKey]));
  }
  const Json* tables = json.Find(kBenchmarkTablesKey);
  if (tables != nullptr && tables->is_array()) {
    for (Json& table : json[kBenchmarkTablesKey].as_array()) {
      KM_RETURN_IF_ERROR(
          FindFile(folder, options, "tasks were compared with the table of a benchmark", &table));
    }
  }
  KM_ASSIGN(Config config, Config::Parse(sampled ? RftKeys() : SftKeys(), json.Dump(), path, {}));
  return DatasetConfiguration{std::move(config), sampled};
}

}  // namespace kernelmill
