#include "stages/recipes/configured_sources.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "stages/admit/decontamination.h"
#include "stages/fetch/source_fetches.h"
#include "stages/fetch/source_pins.h"
#include "stages/measure/measure_step.h"
#include "stages/mine/mine_keys.h"
#include "stages/recipes/source_entries.h"
#include "stages/retry/retry_folder.h"
#include "stages/select/select_step.h"

namespace kernelmill {
namespace {

// In DIR/.run: the sources of the run, by name and hash. It goes with the steps when the dataset is
// published.
constexpr std::string_view kSourcesName = "steps/sources.json";

// An entry of `sources` in the published configuration.
Json ConfigurationOf(const TaskSource& source) {
  return Json::Object{{"tasks", source.url},     {"revision", source.sha256},
                      {"url", source.url},       {"name", source.name},
                      {"column", source.column}, {"licence", source.licence}};
}

// What a run holds of its sources.
std::string NamesOf(const ResolvedSources& sources) {
  Json::Array named;
  for (const ResolvedSource& source : sources.repositories) {
    named.push_back(Json::Object{{"url", source.url}, {"commit", source.commit}});
  }
  for (const TaskSource& source : sources.tasks) {
    named.push_back(ConfigurationOf(source));
  }
  for (const TaskDataset& dataset : sources.datasets) named.push_back(dataset.Name());
  for (const SampleSource& source : sources.samples) named.push_back(source.ToJson());
  // No step reads sources.policy: with another file a run goes on, and has other rewards.
  if (sources.measurements) {
    named.push_back(Json::Object{{"measurements", sources.measurements->Hex()}});
  }
  if (sources.previous) named.push_back(Json::Object{{"retry", sources.previous->digest.Hex()}});
  return Json(std::move(named)).Pretty();
}

}  // namespace

Result<std::vector<TaskSource>> ResolveTaskSources(const Config& config) {
  std::vector<TaskSource> sources;
  std::map<std::string, std::string> keys;  // From TaskSource::Key() to the configuration key.
  const Json::Array& items = config.Value("sources").as_array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto text = [&](const char* key) { return items[i].Find(key)->as_string(); };
    if (text("tasks").empty()) continue;
    const std::string key = "sources[" + std::to_string(i) + "].tasks";
    KM_ASSIGN(TaskSource source,
              ResolveTasks({.tasks = config.Path("sources", text("tasks")),
                            .sha256 = text("revision") == "HEAD" ? "" : text("revision"),
                            .url = text("url"),
                            .name = text("name"),
                            .column = text("column"),
                            .licence = text("licence")},
                           key));
    const auto [twin, first] = keys.emplace(source.Key(), key);
    if (!first) {
      return Status(ErrorCode::kConfig, key + ": the same column of the same file as " +
                                            twin->second + "; name it once");
    }
    sources.push_back(std::move(source));
  }
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) {
    return std::tie(a.url, a.sha256, a.column) < std::tie(b.url, b.sha256, b.column);
  });
  return sources;
}

Result<SourceLock> ReadSourceLock(const std::string& path) {
  KM_ASSIGN(const std::string text, ReadFile(path));
  return SourceLock::Decode(text, path);
}

Result<SourceLock> LockOfUnfinished(const std::string& output) {
  const std::string folder = output + "/" + std::string(kRunFolderName) + "/";
  std::error_code error;
  if (!std::filesystem::exists(folder + std::string(kSourcesName), error)) return SourceLock();
  Result<SourceLock> lock = ReadSourceLock(folder + std::string(kLockName));
  if (lock.status().code() == ErrorCode::kNotFound) return SourceLock();
  if (lock.ok()) return lock;
  return Status(lock.status().code(), lock.status().message() + "; --restart starts again");
}

Result<std::vector<SourceSpec>> PinnedSpecs(const Config& config, const SourceOptions& options) {
  KM_ASSIGN(std::vector<SourceSpec> specs, SourceSpecs(config));
  if (!options.lock.empty()) {
    KM_ASSIGN(const SourceLock lock, ReadSourceLock(options.lock));
    KM_RETURN_IF_ERROR(PinSources(lock, options.lock, &specs));
  } else if (!options.resumes.empty()) {
    KM_ASSIGN(const SourceLock held, LockOfUnfinished(options.resumes));
    PreferCommits(held, &specs);
  }
  return specs;
}

FetchOptions FetchOptionsOf(const Config& config, const SourceOptions& options) {
  // Larger files are not read.
  return {.cache = options.cache, .omit_from = MiningOptionsOf(config).largest_file + 1};
}

Result<ResolvedSources> ResolveSources(const Config& config, const SourceOptions& options) {
  KM_RETURN_IF_ERROR(CheckSources(config));
  ResolvedSources resolved;
  KM_ASSIGN(resolved.tasks, ResolveTaskSources(config));
  KM_ASSIGN(const std::vector<SourceSpec> specs, PinnedSpecs(config, options));
  KM_ASSIGN(resolved.repositories, ResolveAll(specs, FetchOptionsOf(config, options),
                                              options.fetches, options.child_program));
  resolved.lock = LockOf(specs, resolved.repositories);
  std::vector<ResolvedSource>& sources = resolved.repositories;
  const auto identity = [](const ResolvedSource& source) {
    return std::tie(source.url, source.commit, source.trouble);
  };
  std::stable_sort(sources.begin(), sources.end(),
                   [&](const auto& a, const auto& b) { return identity(a) < identity(b); });
  const auto last = std::unique(sources.begin(), sources.end(), [&](const auto& a, const auto& b) {
    return identity(a) == identity(b);
  });
  sources.erase(last, sources.end());
  return resolved;
}

Result<std::string> ConfigurationText(const Config& config, const ResolvedSources& sources) {
  Json json = config.ToJson();
  Json::Array resolved;
  for (const ResolvedSource& source : sources.repositories) {
    resolved.push_back(
        Json::Object{{"git", source.url}, {"revision", source.commit}, {"url", source.url}});
  }
  for (const TaskSource& source : sources.tasks) {
    resolved.push_back(ConfigurationOf(source));
  }
  json["sources"] = std::move(resolved);
  KM_RETURN_IF_ERROR(NameFilesByHash(config, &json));
  return json.Pretty();
}

Status NameFilesByHash(const Config& config, Json* json) {
  KM_ASSIGN((*json)[kTokenizerKey], TokenizerName(config));
  KM_ASSIGN(const auto tables, BenchmarkFiles(config));
  for (const auto& [path, digest] : tables) {
    for (Json& table : (*json)[kBenchmarkTablesKey].as_array()) {
      if (table.as_string() == path) table = "sha256:" + digest.Hex();
    }
  }
  return Status::Ok();
}

Status HoldSources(const Run& run, const ResolvedSources& sources) {
  const Status held = CheckHeldSources(run, sources);
  if (held.code() != ErrorCode::kNotFound) return held;
  const std::string path = run.StatePath(std::string(kSourcesName));
  KM_RETURN_IF_ERROR(MakeFolders(FolderOf(path)));
  // The lock comes first: LockOfUnfinished() reads it only beside the other file.
  const std::string lock = run.StatePath(std::string(kLockName));
  if (sources.lock.sources.empty()) {
    std::error_code error;
    std::filesystem::remove(lock, error);
  } else {
    KM_RETURN_IF_ERROR(ReplaceFile(lock, sources.lock.Encode()));
  }
  return CommitFile(path, NamesOf(sources));
}

Status CheckHeldSources(const Run& run, const ResolvedSources& sources) {
  const std::string path = run.StatePath(std::string(kSourcesName));
  const Result<std::string> before = ReadFile(path);
  if (!before.ok()) return before.status();
  if (*before == NamesOf(sources)) return Status::Ok();
  return Status(ErrorCode::kPlanChanged,
                run.options().output +
                    ": the unfinished run there cannot be resumed, because its sources, their "
                    "commits, files, columns, licences or retry buffer changed (" +
                    path +
                    " lists those it started with); undo the change, give --output another folder, "
                    "or start again with --restart");
}

Status RememberFolders(const Run& run, const Config& config, const ResolvedSources& sources) {
  Json folders = Json::Object();
  const auto absolute = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::absolute(path, error).string();
  };
  for (const ResolvedSource& source : sources.repositories) {
    folders[source.url] = absolute(source.git_dir);
  }
  for (const TaskSource& source : sources.tasks) {
    folders["sha256:" + source.sha256] = absolute(source.path);
  }
  for (const TaskDataset& dataset : sources.datasets) {
    folders[dataset.Name()] = absolute(dataset.folder);
  }
  for (const SampleSource& source : sources.samples) {
    folders["sha256:" + source.sha256] = absolute(source.path);
  }
  if (sources.policy) {
    folders["sha256:" + sources.policy->sha256] = absolute(sources.policy->path);
  }
  if (sources.measurements) {
    folders["sha256:" + sources.measurements->Hex()] = absolute(config.Path(kMeasurementsKey));
  }
  if (sources.previous) {
    folders["sha256:" + sources.previous->digest.Hex()] = absolute(sources.previous_path);
  }
  KM_ASSIGN(const auto tables, BenchmarkFiles(config));
  for (const auto& [path, digest] : tables) {
    folders["sha256:" + digest.Hex()] = absolute(config.Path(kBenchmarkTablesKey, path));
  }
  KM_ASSIGN(const std::string tokenizer, TokenizerName(config));
  if (!tokenizer.empty()) folders[tokenizer] = absolute(config.Path(kTokenizerKey));
  return ReplaceFile(run.StatePath(std::string(kFoldersName)), folders.Pretty());
}

}  // namespace kernelmill
