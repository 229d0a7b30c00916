#include "stages/recipes/configured_sources.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "manifests/commit_file.h"
#include "stages/admit/decontamination.h"
#include "stages/engine/progress.h"
#include "stages/fetch/commit_operation.h"
#include "stages/fetch/source.h"
#include "stages/generate/generate_step.h"
#include "stages/measure/measure_step.h"
#include "stages/mine/mine_keys.h"
#include "stages/publishable/excluded_records.h"
#include "stages/retry/retry_folder.h"
#include "stages/select/select_step.h"

namespace kernelmill {
namespace {

// In DIR/.run: what HeldCommitsOf() reads. It goes with the steps when the dataset is published.
constexpr std::string_view kCommitsName = "steps/commits.json";
// The sources of the run, by name and hash.
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
  if (sources.policy) named.push_back(Json::Object{{"policy_log_probs", sources.policy->sha256}});
  if (sources.measurements) {
    named.push_back(Json::Object{{"measurements", sources.measurements->Hex()}});
  }
  if (sources.previous) named.push_back(Json::Object{{"retry", sources.previous->digest.Hex()}});
  return Json(std::move(named)).Pretty();
}

}  // namespace

std::vector<ConfigKey> RunKeys() {
  return {
      {"seed", ConfigType::kInteger, 7, "",
       "Seeds every random choice: samples, wordings, random inputs."},
      {"sources",
       ConfigType::kItems,
       Json::Array(),
       "",
       "The repositories to mine and the files of tasks to read. May be empty when generate.count "
       "is set.",
       {},
       {{"git", ConfigType::kString, "", "",
         "A local repository, or the URL of one. Relative paths are relative to this file."},
        {"tasks", ConfigType::kString, "", "",
         "Instead of git: a file of references in KernelBench's convention (.jsonl or .parquet), "
         "or a folder of .py files."},
        {"revision", ConfigType::kString, "HEAD", "",
         "Of a repository: the branch, tag or commit to read. Of tasks: the SHA-256 that the file "
         "must have."},
        {"url", ConfigType::kString, "", "",
         "The origin to record for a local path. Default: the URL of the repository's remote "
         "named origin, or urn:local:NAME for tasks."},
        {"name", ConfigType::kString, "", "",
         "Of tasks: the name of the file in origins. Default: its name on this machine."},
        {"column", ConfigType::kString, "", "",
         "Of tasks: the column that holds the references. Default: reference, code, pytorch_code "
         "or another usual name."},
        {"licence", ConfigType::kString, "", "",
         "Of tasks: the SPDX expression for rows without a licence of their own, which is read "
         "from a column license, licence, licenses or spdx."}}},
      {kExcludeRecordsKey, ConfigType::kStrings, Json::Array(), "",
       "Content_ids of tasks, kernels, samples, rows or other records that are left out, with all "
       "that is made from them. `purge` sets it, and hashes the ids."},
      {"partitions",
       ConfigType::kInteger,
       16,
       "",
       "How many parts of a step are committed separately. With more parts, a killed run loses "
       "less work. The dataset is the same.",
       {1, kMostPartitions}},
  };
}

std::vector<SourceSpec> SourceSpecs(const Config& config) {
  std::vector<SourceSpec> specs;
  for (const Json& item : config.Value("sources").as_array()) {
    if (item.Find("git")->as_string().empty()) continue;
    const std::string& git = item.Find("git")->as_string();
    const std::string& revision = item.Find("revision")->as_string();
    specs.push_back({.git = IsUrl(git) ? git : config.Path("sources", git),
                     .revision = revision == "HEAD" ? "" : revision,
                     .url = item.Find("url")->as_string()});
  }
  return specs;
}

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

Status CheckSources(const Config& config) {
  KM_ASSIGN(const GenerateOptions generate, GenerateOptions::Of(config));
  const Json::Array& items = config.Value("sources").as_array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool git = !items[i].Find("git")->as_string().empty();
    if (git != items[i].Find("tasks")->as_string().empty()) {
      return Status(ErrorCode::kConfig, "sources[" + std::to_string(i) +
                                            "]: needs either git: REPOSITORY or tasks: FILE");
    }
  }
  if (generate.count > 0 || !items.empty()) return Status::Ok();
  return Status(ErrorCode::kConfig, "sources: name at least one repository, or set generate.count");
}

Result<HeldCommits> HeldCommitsOf(const std::string& output) {
  const std::string path = output + "/.run/" + std::string(kCommitsName);
  const Result<std::string> text = ReadFile(path);
  if (text.status().code() == ErrorCode::kNotFound) return HeldCommits();
  if (!text.ok()) return text.status();
  const Result<Json> json = Json::Parse(*text);
  const auto corrupt = [&] {
    return Status(ErrorCode::kCorrupt, path + ": not the commits of a run; --restart starts again");
  };
  if (!json.ok() || !json->is_object()) return corrupt();
  HeldCommits held;
  for (const auto& [name, commit] : json->as_object()) {
    if (!commit.is_string()) return corrupt();
    held[name] = commit.as_string();
  }
  return held;
}

Result<ResolvedSources> ResolveSources(const Config& config, const std::string& cache,
                                       const HeldCommits& held) {
  KM_RETURN_IF_ERROR(CheckSources(config));
  ResolvedSources resolved;
  KM_ASSIGN(resolved.tasks, ResolveTaskSources(config));
  UntrustedChild child(MiningOptionsOf(config).child_program);
  std::vector<ResolvedSource>& sources = resolved.repositories;
  for (SourceSpec& spec : SourceSpecs(config)) {
    if (const auto at = held.find(spec.CacheName()); IsUrl(spec.git) && at != held.end()) {
      spec.commit = at->second;
    }
    KM_ASSIGN(ResolvedSource source, Resolve(spec, cache, ReadCommitsIn(child)));
    Say("fetch: " + source.url +
        (source.trouble.empty() ? " at " + source.commit.substr(0, 12) : ": " + source.trouble));
    sources.push_back(std::move(source));
  }
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) {
    return std::tie(a.url, a.commit) < std::tie(b.url, b.commit);
  });
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
  Json commits = Json::Object();
  for (const ResolvedSource& source : sources.repositories) {
    // The name of a fetched repository is SourceSpec::CacheName(). Names of local ones do no harm.
    if (!source.commit.empty()) {
      commits[std::filesystem::path(source.git_dir).filename().string()] = source.commit;
    }
  }
  const std::string path = run.StatePath(std::string(kSourcesName));
  KM_RETURN_IF_ERROR(MakeFolders(FolderOf(path)));
  KM_RETURN_IF_ERROR(ReplaceFile(run.StatePath(std::string(kCommitsName)), commits.Pretty()));
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
