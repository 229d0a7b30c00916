#include "stages/audit/purge.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "corpora/dataset/dataset_reader.h"
#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "stages/audit/dataset_configuration.h"
#include "stages/audit/purged_records.h"
#include "stages/audit/rederive.h"
#include "stages/audit/removal_list.h"
#include "stages/buffer/buffer_step.h"
#include "stages/publishable/excluded_records.h"
#include "stages/recipes/rft_pipeline.h"
#include "stages/recipes/sampled_sources.h"
#include "stages/recipes/sft_pipeline.h"

namespace kernelmill {
namespace {

// The content_ids of a dataset's records, with what they are.
Result<std::map<Digest, RecordKind>> RecordsOf(const std::string& folder) {
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(folder));
  std::map<Digest, RecordKind> records;
  KM_RETURN_IF_ERROR(reader.ForEach(Digest(), [&](const Digest& id, const Record& record, bool*) {
    records.emplace(id, record.kind);
    return Status::Ok();
  }));
  return records;
}

Status RemoveSources(const std::vector<std::string>& urls, Json* configuration) {
  Json::Array& sources = (*configuration)[kSourcesKey].as_array();
  for (const std::string& url : urls) {
    if (std::erase_if(sources, [&](const Json& source) { return source.TextAt("url") == url; })) {
      continue;
    }
    std::string known;
    for (const Json& source : sources) {
      known += (known.empty() ? "" : ", ") + source.TextAt("url");
    }
    return Status(ErrorCode::kUsage,
                  "the dataset was not made from " + url + "; its sources are: " + known);
  }
  return Status::Ok();
}

Status RemoveLicences(const std::vector<std::string>& licences, Json* configuration) {
  Json::Array& allowed = (*configuration)["mine.licences"].as_array();
  for (const std::string& licence : licences) {
    if (std::erase_if(allowed, [&](const Json& one) { return one.as_string() == licence; })) {
      continue;
    }
    return Status(ErrorCode::kUsage, "mine.licences of the dataset does not allow " + licence);
  }
  return Status::Ok();
}

Result<Digest> ManifestDigestOf(const std::string& folder) {
  KM_ASSIGN(const DatasetReader reader, DatasetReader::Open(folder));
  return reader.manifest().ManifestDigest();
}

void ExcludeRecords(const std::set<Digest>& ids, Json* configuration) {
  if (ids.empty()) return;
  std::set<std::string> names;
  for (const Json& name : (*configuration)[kExcludeRecordsKey].as_array()) {
    names.insert(name.as_string());
  }
  for (const Digest& id : ids) names.insert(ExcludedRecords::HashName(id));
  (*configuration)[kExcludeRecordsKey] = Json::Array(names.begin(), names.end());
}

// The content_ids that leave a dataset of samples, whose tasks and samples its files name.
Result<std::set<Digest>> RecordsOfSamples(const std::string& folder, const PurgeRequest& request,
                                          const RederiveOptions& places, const Json& left) {
  KM_ASSIGN(std::set<Digest> ids, NamedRecords(folder, request));
  if (request.repositories.empty() && request.licences.empty()) return ids;
  KM_ASSIGN(const DatasetConfiguration configuration, ReadConfiguration(folder, places));
  KM_ASSIGN(const ResolvedSources sources, ResolveSampledTasks(configuration.config));
  std::vector<std::string> folders = {folder}, allowed;
  for (const TaskDataset& dataset : sources.datasets) folders.push_back(dataset.folder);
  for (const Json& licence : left.Find("mine.licences")->as_array()) {
    allowed.push_back(licence.as_string());
  }
  KM_ASSIGN(const std::set<Digest> tasks, TasksOfSources(folders, request, allowed));
  if (tasks.empty()) {
    return Status(ErrorCode::kUsage, folder +
                                         ": no task comes from such a source, or is used under "
                                         "such a licence");
  }
  ids.insert(tasks.begin(), tasks.end());
  return ids;
}

Status EditSamples(const std::string& folder, const PurgeRequest& request,
                   const RederiveOptions& places, Json* configuration) {
  if (const Json* previous = configuration->Find(kPreviousRoundKey);
      previous != nullptr && previous->is_string() && !previous->as_string().empty()) {
    return Status(ErrorCode::kUsage,
                  folder +
                      " goes on with the retry buffer of the round before, which keeps tasks "
                      "and samples; purge the dataset of that round, and run `rft` with the new "
                      "one as " +
                      std::string(kPreviousRoundKey));
  }
  KM_RETURN_IF_ERROR(RemoveLicences(request.licences, configuration));
  KM_ASSIGN(const std::set<Digest> ids, RecordsOfSamples(folder, request, places, *configuration));
  ExcludeRecords(ids, configuration);
  return Status::Ok();
}

}  // namespace

Result<PurgeReport> Purge(const std::string& folder, const PurgeRequest& request,
                          const BuildOptions& options) {
  KM_RETURN_IF_ERROR(CheckOtherFolder(folder, options.output));
  KM_ASSIGN(const Digest before_digest, ManifestDigestOf(folder));
  RederiveOptions places;
  places.sources = request.sources;
  places.cache = options.cache;
  KM_ASSIGN(const auto before, RecordsOf(folder));
  const ConfigurationEdit edit = [&](Json* configuration) -> Status {
    const bool sampled = configuration->Find(kSamplesKey) != nullptr;
    if (sampled) {
      KM_RETURN_IF_ERROR(EditSamples(folder, request, places, configuration));
    } else {
      KM_RETURN_IF_ERROR(RemoveSources(request.repositories, configuration));
      KM_RETURN_IF_ERROR(RemoveLicences(request.licences, configuration));
      KM_ASSIGN(const std::set<Digest> ids, NamedRecords(folder, request));
      ExcludeRecords(ids, configuration);
    }
    RemoveDefaults(sampled, configuration);
    return Status::Ok();
  };
  KM_ASSIGN(const DatasetConfiguration configuration, ReadConfiguration(folder, places, edit));
  BuildOptions build = options;
  if (configuration.sampled) build.secret_of = folder;
  KM_ASSIGN(const BuiltDataset built, configuration.sampled
                                          ? BuildRftDataset(configuration.config, build)
                                          : BuildSftDataset(configuration.config, build));
  KM_ASSIGN(const auto after, RecordsOf(options.output));
  Json::Array removed, added;
  for (const auto& [id, kind] : before) {
    if (after.contains(id)) continue;
    removed.emplace_back(Json::Object{{"content_id", id.Hex()}, {"kind", RecordKindName(kind)}});
  }
  for (const auto& [id, kind] : after) {
    if (before.contains(id)) continue;
    added.emplace_back(Json::Object{{"content_id", id.Hex()}, {"kind", RecordKindName(kind)}});
  }
  PurgeReport report;
  report.removed = static_cast<std::int64_t>(removed.size());
  KM_ASSIGN(const std::vector<std::string> earlier, RemovedFrom(folder));
  report.certificate = Certificate(earlier);
  report.certificate["dataset"] = before_digest.Hex();
  report.certificate["result"] = built.manifest.ManifestDigest().Hex();
  report.certificate["repositories"] = ToJson(request.repositories);
  report.certificate["licences"] = ToJson(request.licences);
  report.certificate["tasks"] = ToJson(request.tasks);
  report.certificate["records"] = ToJson(request.records);
  report.certificate["reason"] = request.reason;
  report.certificate["removed"] = std::move(removed);
  report.certificate["added"] = std::move(added);
  report.path = CertificatePath(options.output);
  KM_RETURN_IF_ERROR(ReplaceFile(report.path, report.certificate.Pretty()));
  return report;
}

}  // namespace kernelmill
