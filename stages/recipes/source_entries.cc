#include "stages/recipes/source_entries.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/printable.h"
#include "stages/fetch/repository_list.h"
#include "stages/generate/generate_step.h"
#include "stages/publishable/excluded_records.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

std::string EntryName(std::size_t index) { return "sources[" + std::to_string(index) + "]"; }

// "HEAD" is the default of the key.
std::string RevisionOf(const Json& item) {
  const std::string& revision = item.Find("revision")->as_string();
  return revision == "HEAD" ? "" : revision;
}

// What `git: TEXT` means follows from the text alone.
Result<SourceSpec> ReadGit(const Config& config, const Json& item) {
  const std::string& git = item.Find("git")->as_string();
  SourceSpec spec = {
      .git = git, .revision = RevisionOf(item), .url = item.Find("url")->as_string()};
  if (IsUrl(git)) return spec;
  const std::string path = config.Path("sources", git);
  if (std::optional<std::string> hosted = HostedUrl(git)) {
    std::error_code error;
    if (fs::exists(path, error)) {
      return Status(ErrorCode::kConfig, "'" + git + "' is a repository of GitHub, and there is a " +
                                            "folder of this name too; write ./" + git + " or " +
                                            *hosted);
    }
    spec.git = *std::move(hosted);
    return spec;
  }
  spec.git = path;
  spec.written = git;
  return spec;
}

Result<std::vector<SourceSpec>> ReadList(const Config& config, const Json& item) {
  const std::string& list = item.Find("list")->as_string();
  if (!item.Find("url")->as_string().empty()) {
    return Status(ErrorCode::kConfig, "a list has no url; its repositories have their own");
  }
  KM_ASSIGN(const std::string text, ReadFile(config.Path("sources", list)));
  return ReadRepositoryList(text, list, RevisionOf(item));
}

// Adds the specs that are not there yet.
Status AddSpecs(std::vector<SourceSpec> read, std::vector<SourceSpec>* specs) {
  for (SourceSpec& spec : read) {
    const auto twin = std::find_if(specs->begin(), specs->end(), [&](const SourceSpec& known) {
      return known.Name() == spec.Name() && known.revision == spec.revision;
    });
    if (twin == specs->end()) {
      specs->push_back(std::move(spec));
    } else if (twin->url != spec.url) {
      return Status(ErrorCode::kConfig,
                    spec.Describe() + ": it is named twice, with another url; name it once");
    }
  }
  return Status::Ok();
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
       "The repositories to mine and the files of tasks to read: each entry has git, list or "
       "tasks. May be empty when generate.count is set.",
       {},
       {{"git", ConfigType::kString, "", "",
         "A repository: owner/name for one of GitHub, a URL, or the path of a local one. Relative "
         "paths are relative to this file; one with two parts begins with ./ (./owner/name)."},
        {"list", ConfigType::kString, "", "",
         "Instead of git: a file with one repository a line, owner/name or a URL, then @REVISION "
         "or nothing. A # begins a comment."},
        {"tasks", ConfigType::kString, "", "",
         "Instead of git: a file of references in KernelBench's convention (.jsonl or .parquet), "
         "or a folder of .py files."},
        {"revision", ConfigType::kString, "HEAD", "",
         "Of a repository: the branch, tag or commit to read, or a day: 2026-01-31 is the last "
         "commit of the default branch before the end of that day (UTC). Of a list: that of lines "
         "without one. Of tasks: the SHA-256 that the file must have."},
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

Result<std::vector<SourceSpec>> SourceSpecs(const Config& config) {
  std::vector<SourceSpec> specs;
  const Json::Array& items = config.Value("sources").as_array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].Find("git")->as_string().empty()) {
      const Result<SourceSpec> spec = ReadGit(config, items[i]);
      if (!spec.ok()) return spec.status().Within(EntryName(i) + ".git");
      KM_RETURN_IF_ERROR(AddSpecs({*spec}, &specs).Within(EntryName(i)));
    } else if (!items[i].Find("list")->as_string().empty()) {
      Result<std::vector<SourceSpec>> read = ReadList(config, items[i]);
      if (!read.ok()) return read.status().Within(EntryName(i) + ".list");
      KM_RETURN_IF_ERROR(AddSpecs(*std::move(read), &specs).Within(EntryName(i)));
    }
  }
  return specs;
}

Status CheckSources(const Config& config) {
  KM_ASSIGN(const GenerateOptions generate, GenerateOptions::Of(config));
  const Json::Array& items = config.Value("sources").as_array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    int kinds = 0;
    for (const char* kind : {"git", "list", "tasks"}) {
      kinds += !items[i].Find(kind)->as_string().empty();
    }
    if (kinds == 1) continue;
    return Status(ErrorCode::kConfig,
                  EntryName(i) + ": needs one of git: REPOSITORY, list: FILE and tasks: FILE");
  }
  if (generate.count > 0 || !items.empty()) return Status::Ok();
  return Status(ErrorCode::kConfig, "sources: name at least one repository, or set generate.count");
}

}  // namespace kernelmill
