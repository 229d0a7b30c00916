#include "stages/audit/rederive.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/records/record.h"
#include "corpora/shards/shard.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "stages/admit/decontamination.h"
#include "stages/engine/progress.h"
#include "stages/engine/tool_identity.h"
#include "stages/measure/measure_step.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/sft_pipeline.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// A record to build again.
struct Chosen {
  std::string file;
  std::string name;  // "record 17 (<content_id>)".
  std::string bytes;
  std::vector<Origin> origins;
};

// A temporary folder, removed with the object.
class Scratch {
 public:
  static Result<Scratch> Make() {
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "kernelmill-rederive-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr) {
      return Status::FromErrno("cannot make the temporary folder", path);
    }
    return Scratch(path);
  }
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<DatasetManifest> ReadManifest(const std::string& folder) {
  KM_ASSIGN(const std::string bytes, ReadFile(folder + "/" + std::string(kManifestName)));
  return DatasetManifest::Decode(bytes);
}

// Reads the factors that the dataset publishes. A row's weight depends on all rows of the dataset,
// so it can be recomputed only from them.
Result<Mixture> ReadMixture(const std::string& folder) {
  KM_ASSIGN(const std::string text, ReadFile(folder + "/" + std::string(kMixtureName)));
  KM_ASSIGN(const Json json, Json::Parse(text));
  return Mixture::FromJson(json);
}

// The `count` records whose hash with the root is smallest, by content_id.
Result<std::map<Digest, Chosen>> Choose(const std::string& folder, const DatasetManifest& manifest,
                                        std::int64_t count) {
  const auto order = [&](std::string_view id) {
    return Sha256().Field(manifest.merkle_root.AsKey()).Field(id).Finish();
  };
  std::vector<std::pair<Digest, Digest>> ids;  // Hash, content_id.
  std::vector<std::string> shards;
  for (const FileEntry& file : manifest.files) {
    if (file.path.starts_with(kShardFolder) && file.path.ends_with(".mdb")) {
      shards.push_back(file.path);
    }
  }
  const auto visit = [&](const auto& use) -> Status {
    for (const std::string& shard : shards) {
      KM_ASSIGN(const ShardReader reader, ShardReader::Open(folder + "/" + shard));
      std::uint64_t at = 0;
      KM_RETURN_IF_ERROR(
          reader.ForEach("", [&](std::string_view, std::string_view value, bool*) -> Status {
            KM_ASSIGN(const Record record, Record::Decode(value));
            use(shard, at++, record, value);
            return Status::Ok();
          }));
    }
    return Status::Ok();
  };
  KM_RETURN_IF_ERROR(
      visit([&](const std::string&, std::uint64_t, const Record& record, std::string_view) {
        const Digest id = record.ContentId();
        ids.emplace_back(order(id.AsKey()), id);
      }));
  std::sort(ids.begin(), ids.end());
  if (static_cast<std::int64_t>(ids.size()) > count) ids.resize(static_cast<std::size_t>(count));
  std::set<Digest> wanted;
  for (const auto& [hash, id] : ids) wanted.insert(id);
  std::map<Digest, Chosen> chosen;
  KM_RETURN_IF_ERROR(visit([&](const std::string& shard, std::uint64_t at, const Record& record,
                               std::string_view value) {
    const Digest id = record.ContentId();
    if (!wanted.contains(id)) return;
    chosen[id] = {shard, "record " + std::to_string(at) + " (" + id.Hex() + ")", std::string(value),
                  record.origins};
  }));
  return chosen;
}

std::optional<std::string> Remembered(const std::string& folder, const std::string& url) {
  const Result<std::string> text =
      ReadFile(folder + "/" + std::string(kRunFolderName) + "/" + std::string(kFoldersName));
  if (!text.ok()) return std::nullopt;
  const Result<Json> json = Json::Parse(*text);
  if (!json.ok()) return std::nullopt;
  const Json* found = json->Find(url);
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

// The dataset's configuration, with a path on this machine for each source.
Result<Config> ReadConfiguration(const std::string& folder, const RederiveOptions& options) {
  const std::string path = folder + "/" + std::string(kConfigurationName);
  KM_ASSIGN(const std::string text, ReadFile(path));
  KM_ASSIGN(Json json, Json::Parse(text));
  const Json* sources = json.Find("sources");
  if (sources == nullptr || !sources->is_array()) {
    return Status(ErrorCode::kCorrupt, path + ": names no sources");
  }
  for (Json& source : json["sources"].as_array()) {
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
  if (json.Find(kTokenizerKey) != nullptr) {
    KM_RETURN_IF_ERROR(FindFile(folder, options, "tokens were counted by the tokenizer.json",
                                &json[kTokenizerKey]));
  }
  const Json* tables = json.Find(kBenchmarkTablesKey);
  if (tables != nullptr && tables->is_array()) {
    for (Json& table : json[kBenchmarkTablesKey].as_array()) {
      KM_RETURN_IF_ERROR(
          FindFile(folder, options, "tasks were compared with the table of a benchmark", &table));
    }
  }
  return Config::Parse(SftKeys(), json.Dump(), path, {});
}

std::string DifferenceBetween(const Record& found, const std::string& derived_bytes) {
  const Result<Record> derived = Record::Decode(derived_bytes);
  if (!derived.ok()) return derived.status().message();
  std::string parts;
  const auto add = [&](bool differs, const char* part) {
    if (differs) parts += (parts.empty() ? "" : ", ") + std::string(part);
  };
  add(found.payload != derived->payload, "payload");
  add(found.attributes != derived->attributes, "attributes");
  add(found.origins != derived->origins, "origins");
  add(found.licences != derived->licences, "licences");
  add(found.lineage != derived->lineage, "lineage");
  return "differs from what its sources make: " + parts;
}

}  // namespace

Json RederiveReport::ToJson() const {
  Json::Array all;
  for (const AuditFinding& finding : findings) all.push_back(finding.ToJson());
  return Json::Object{{"identical", identical},
                      {"findings", all},
                      {"other_tool", other_tool},
                      {"verdicts", "judged_anew"}};
}

Result<RederiveReport> Rederive(const std::string& folder, const RederiveOptions& options) {
  KM_ASSIGN(const DatasetManifest manifest, ReadManifest(folder));
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(const Config config, ReadConfiguration(folder, options));
  KM_ASSIGN(const Mixture mixture, ReadMixture(folder));
  KM_ASSIGN(auto chosen, Choose(folder, manifest, options.records));

  RederiveReport report;
  for (const auto& [name, version] : manifest.versions) {
    const Json* now = tool.versions.Find(name);
    if (now != nullptr && now->as_string() != version) {
      report.other_tool += (report.other_tool.empty() ? "" : ", ") + name;
    }
  }
  std::set<Origin> origins;
  for (const auto& [id, record] : chosen) {
    origins.insert(record.origins.begin(), record.origins.end());
  }
  KM_ASSIGN(const Scratch scratch, Scratch::Make());
  KM_ASSIGN(const ResolvedSources sources, ResolveSources(config, options.cache));
  KM_ASSIGN(Run run, Run::Open({.output = scratch.path(),
                                .jobs = options.jobs,
                                .partitions = config.Integer("partitions"),
                                .tool = tool.digest}));
  Say("rederive: every verdict is judged again; stored verdicts are not used");
  KM_RETURN_IF_ERROR(RunStepsUpToRows(run, config, sources, [&](const std::vector<Origin>& found) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Origin& origin) { return origins.contains(origin); });
  }));
  KM_RETURN_IF_ERROR(ForEachRecord(
      run, mixture, [&](std::string_view key, std::string_view bytes, bool*) -> Status {
        const auto at = std::find_if(chosen.begin(), chosen.end(),
                                     [&](const auto& item) { return item.first.AsKey() == key; });
        if (at == chosen.end()) return Status::Ok();
        const Chosen& record = at->second;
        if (record.bytes == bytes) {
          ++report.identical;
        } else {
          KM_ASSIGN(const Record found, Record::Decode(record.bytes));
          report.findings.push_back(
              {record.file, record.name, DifferenceBetween(found, std::string(bytes))});
        }
        chosen.erase(at);
        return Status::Ok();
      }));
  for (const auto& [id, record] : chosen) {
    report.findings.push_back(
        {record.file, record.name, "its sources do not make this record at all"});
  }
  return report;
}

}  // namespace kernelmill
