#include "stages/audit/rederive.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/records/record.h"
#include "corpora/shards/shard.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/passing_folder.h"
#include "stages/audit/dataset_configuration.h"
#include "stages/audit/line_difference.h"
#include "stages/audit/record_difference.h"
#include "stages/audit/retry_rederive.h"
#include "stages/audit/verdict_rederive.h"
#include "stages/buffer/buffer_step.h"
#include "stages/engine/progress.h"
#include "stages/engine/tool_identity.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/rft_pipeline.h"
#include "stages/recipes/run_rewards.h"
#include "stages/recipes/sample_verdicts.h"
#include "stages/recipes/sampled_sources.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/select/select_step.h"

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

// The `count` of `ids` whose hash with the root is smallest.
std::set<Digest> Drawn(const DatasetManifest& manifest, const std::vector<Digest>& ids,
                       std::int64_t count) {
  std::vector<std::pair<Digest, Digest>> ordered;  // Hash, content_id.
  for (const Digest& id : ids) {
    ordered.emplace_back(Sha256().Field(manifest.merkle_root.AsKey()).Field(id.AsKey()).Finish(),
                         id);
  }
  std::sort(ordered.begin(), ordered.end());
  std::set<Digest> drawn;
  for (const auto& [hash, id] : ordered) {
    if (static_cast<std::int64_t>(drawn.size()) < count) drawn.insert(id);
  }
  return drawn;
}

// `count` records of the shards, by content_id. Sets `whole` if they are all.
Result<std::map<Digest, Chosen>> Choose(const std::string& folder, const DatasetManifest& manifest,
                                        std::int64_t count, bool* whole) {
  std::vector<Digest> ids;
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
  KM_RETURN_IF_ERROR(visit([&](const std::string&, std::uint64_t, const Record& record,
                               std::string_view) { ids.push_back(record.ContentId()); }));
  const std::set<Digest> wanted = Drawn(manifest, ids, count);
  *whole = wanted.size() == ids.size();
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

// Compares a file of a dataset with what its samples and tasks make.
Status CompareText(const std::string& folder, std::string_view name, const std::string& expected,
                   RederiveReport* report) {
  KM_ASSIGN(const std::string found, ReadFile(folder + "/" + std::string(name)));
  if (found == expected) return Status::Ok();
  report->findings.push_back(
      FindingOn(std::string(name), FirstDifference(found, expected), "the samples and tasks make"));
  return Status::Ok();
}

}  // namespace

Json RederiveReport::ToJson() const {
  Json::Array all;
  for (const AuditFinding& finding : findings) all.push_back(finding.ToJson());
  return Json::Object{{"identical", identical},
                      {"findings", all},
                      {"other_tool", other_tool},
                      {"retry", retry.empty() ? Json() : Json(retry)},
                      {"verdicts", "judged_anew"}};
}

Result<RederiveReport> Rederive(const std::string& folder, const RederiveOptions& options) {
  KM_ASSIGN(const DatasetManifest manifest, ReadManifest(folder));
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(const DatasetConfiguration configuration, ReadConfiguration(folder, options));
  const Config& config = configuration.config;
  KM_ASSIGN(const Mixture mixture, ReadMixture(folder));
  bool whole = false;
  KM_ASSIGN(auto chosen, Choose(folder, manifest, options.records, &whole));

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
  RetryFolder retry;
  std::set<Digest> chosen_retry;
  if (configuration.sampled) {
    KM_ASSIGN(retry, ReadRetryFolder(folder + "/" + std::string(kRetryFolderName)));
    std::vector<Digest> ids;
    for (const auto& [id, record] : retry.records) ids.push_back(id);
    chosen_retry = Drawn(manifest, ids, options.records);
    whole = whole && chosen_retry.size() == ids.size();
    for (const Digest& id : chosen_retry) {
      const Record& record = retry.records.at(id);
      origins.insert(record.origins.begin(), record.origins.end());
    }
  }
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) return Status(ErrorCode::kIo, "no temporary folder: " + error.message());
  KM_ASSIGN(const PassingFolder scratch, PassingFolder::Create(temporary, "kernelmill-rederive"));
  ResolvedSources sources;
  if (configuration.sampled) {
    KM_ASSIGN(sources, ResolveSampledSources(config));
  } else {
    KM_ASSIGN(sources, ResolveSources(config, {.cache = options.cache}));
  }
  KM_ASSIGN(Run run, Run::Open({.output = scratch.path(),
                                .jobs = options.jobs,
                                .partitions = config.Integer("partitions"),
                                .tool = tool.digest}));
  Say("rederive: every verdict is judged again; stored verdicts are not used");
  const auto wanted = [&](const std::vector<Origin>& found) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Origin& origin) { return origins.contains(origin); });
  };
  const auto compare = [&](std::string_view key, std::string_view bytes, bool*) -> Status {
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
  };
  if (configuration.sampled) {
    KM_RETURN_IF_ERROR(AdoptSecret(folder, config, run));
    // The retry buffer depends on all samples. No filter at all would let the run use stored
    // verdicts.
    const OriginFilter all = [](const std::vector<Origin>&) { return true; };
    KM_RETURN_IF_ERROR(RunRftSteps(run, config, sources, whole ? all : OriginFilter(wanted)));
    KM_ASSIGN(const RowMixer mixer, MixerOf(run, config));
    KM_RETURN_IF_ERROR(ForEachRftRecord(run, mixer, mixture, compare));
    KM_ASSIGN(RetryFolder built, RetryFolderOf(run, sources.previous.get()));
    const std::string verdicts_path = scratch.path() + "/" + std::string(kVerdictsName);
    KM_RETURN_IF_ERROR(WriteSampleVerdicts(run, verdicts_path));
    KM_ASSIGN(const SelectOptions select, SelectOptions::Of(config));
    const std::string measurements_path = scratch.path() + "/" + std::string(kMeasurementsName);
    KM_RETURN_IF_ERROR(
        WriteSampleMeasurements(run, select.measurements, verdicts_path, measurements_path)
            .status());
    KM_ASSIGN(const std::string verdicts, ReadFile(verdicts_path));
    KM_ASSIGN(const std::string published, ReadFile(folder + "/" + std::string(kVerdictsName)));
    KM_RETURN_IF_ERROR(CompareVerdictLines(published, verdicts, &report));
    if (whole) {
      KM_ASSIGN(const std::string selection, ReadFile(run.StatePath(kSelectionStateName)));
      KM_RETURN_IF_ERROR(CompareText(folder, kSelectionName, selection, &report));
      KM_ASSIGN(const std::string measurements, ReadFile(measurements_path));
      KM_RETURN_IF_ERROR(CompareText(folder, kMeasurementsName, measurements, &report));
      KM_ASSIGN(const RoundRewards rewards, RewardsOfRun(run, config, sources, scratch.path()));
      KM_RETURN_IF_ERROR(CompareText(folder, kRewardLinesName, rewards.lines, &report));
      KM_RETURN_IF_ERROR(CompareText(folder, kRewardsName, rewards.summary.Pretty(), &report));
      KM_RETURN_IF_ERROR(CompareRetryFiles(folder, scratch.path() + "/retry", &built, &report));
    } else {
      CompareRetryRecords(retry, chosen_retry, built, &report);
    }
  } else {
    KM_RETURN_IF_ERROR(RunStepsUpToRows(run, config, sources, wanted));
    KM_ASSIGN(const RowMixer mixer, MixerOf(run, config));
    KM_RETURN_IF_ERROR(ForEachRecord(run, mixer, mixture, compare));
  }
  for (const auto& [id, record] : chosen) {
    report.findings.push_back({record.file, record.name, std::string(kNotMadeAtAll)});
  }
  return report;
}

}  // namespace kernelmill
