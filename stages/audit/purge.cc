#include "stages/audit/purge.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "corpora/dataset/dataset_reader.h"
#include "manifests/commit_file.h"
#include "stages/audit/dataset_configuration.h"
#include "stages/audit/rederive.h"
#include "stages/recipes/sampled_sources.h"
#include "stages/recipes/sft_pipeline.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;

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
  Json::Array& sources = (*configuration)["sources"].as_array();
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

// Leaves keys to their defaults again, which a configuration writes as numbers of another kind (6)
// than it reads them (6.0).
void RemoveDefaults(Json* configuration) {
  for (const ConfigKey& key : SftKeys()) {
    const Json* const value = configuration->Find(key.name);
    if (value != nullptr && *value == key.default_value) configuration->as_object().erase(key.name);
  }
}

Result<Digest> ManifestDigestOf(const std::string& folder) {
  KM_ASSIGN(const DatasetReader reader, DatasetReader::Open(folder));
  return reader.manifest().ManifestDigest();
}

Json TextsOf(const std::vector<std::string>& texts) {
  return Json::Array(texts.begin(), texts.end());
}

}  // namespace

Result<PurgeReport> Purge(const std::string& folder, const PurgeRequest& request,
                          const BuildOptions& options) {
  std::error_code error;
  if (std::filesystem::weakly_canonical(folder, error) ==
      std::filesystem::weakly_canonical(options.output, error)) {
    return Status(ErrorCode::kUsage, "--output names the dataset itself; name a new folder, and "
                                     "remove the dataset when the new one is there");
  }
  KM_ASSIGN(const Digest before_digest, ManifestDigestOf(folder));
  const ConfigurationEdit edit = [&](Json* configuration) -> Status {
    if (configuration->Find(kSamplesKey) != nullptr) {
      return Status(ErrorCode::kUsage,
                    folder + " is a dataset of samples; purge the dataset of its tasks, and run "
                             "`rft` with the new one");
    }
    KM_RETURN_IF_ERROR(RemoveSources(request.repositories, configuration));
    KM_RETURN_IF_ERROR(RemoveLicences(request.licences, configuration));
    RemoveDefaults(configuration);
    return Status::Ok();
  };
  RederiveOptions places;
  places.sources = request.sources;
  places.cache = options.cache;
  KM_ASSIGN(const DatasetConfiguration configuration, ReadConfiguration(folder, places, edit));
  KM_ASSIGN(const BuiltDataset built, BuildSftDataset(configuration.config, options));

  KM_ASSIGN(const auto before, RecordsOf(folder));
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
  report.certificate = Json::Object{{"kind", "kernelmill_removal"},
                                    {"v", kVersion},
                                    {"dataset", before_digest.Hex()},
                                    {"result", built.manifest.ManifestDigest().Hex()},
                                    {"repositories", TextsOf(request.repositories)},
                                    {"licences", TextsOf(request.licences)},
                                    {"reason", request.reason},
                                    {"removed", std::move(removed)},
                                    {"added", std::move(added)}};
  std::filesystem::path output = std::filesystem::path(options.output).lexically_normal();
  if (!output.has_filename()) output = output.parent_path();
  report.path = output.string() + ".removal.json";
  KM_RETURN_IF_ERROR(ReplaceFile(report.path, report.certificate.Pretty()));
  return report;
}

}  // namespace kernelmill
