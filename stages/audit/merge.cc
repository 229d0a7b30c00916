#include "stages/audit/merge.h"

#include <algorithm>
#include <set>

#include "corpora/dataset/dataset_reader.h"
#include "manifests/json_file.h"
#include "stages/audit/dataset_configuration.h"
#include "stages/audit/rederive.h"
#include "stages/audit/removal_list.h"
#include "stages/publishable/excluded_records.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/samples/sample_source.h"

namespace kernelmill {
namespace {

constexpr char kPartitionsKey[] = "partitions";
// Lists of which the result has the entries of both.
constexpr const char* kUnited[] = {kSourcesKey, "exclude_sources", kExcludeRecordsKey};

bool IsUnited(const std::string& key) {
  return std::any_of(std::begin(kUnited), std::end(kUnited),
                     [&](const char* united) { return key == united; });
}

Json United(const Json* a, const Json* b) {
  std::map<std::string, Json> entries;  // By their text, so that the order is that of neither.
  for (const Json* list : {a, b}) {
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& entry : list->as_array()) entries.emplace(entry.Dump(), entry);
  }
  Json::Array array;
  for (auto& [text, entry] : entries) array.push_back(std::move(entry));
  return array;
}

Status CheckVersions(const MergeRequest& request) {
  KM_ASSIGN(const DatasetReader first, DatasetReader::Open(request.a));
  KM_ASSIGN(const DatasetReader second, DatasetReader::Open(request.b));
  const auto &a = first.manifest().versions, &b = second.manifest().versions;
  for (const auto* versions : {&a, &b}) {
    for (const auto& [name, version] : *versions) {
      const auto other = [&](const auto& in) {
        const auto found = in.find(name);
        return found == in.end() ? std::string("none") : found->second;
      };
      if (other(a) == other(b)) continue;
      return Status(ErrorCode::kUsage, "versions." + name + " is " + other(a) + " in " + request.a +
                                           " and " + other(b) + " in " + request.b +
                                           "; build both with one build of kernelmill");
    }
  }
  return Status::Ok();
}

}  // namespace

Result<Json> MergedConfiguration(const Json& a, const Json& b) {
  std::set<std::string> keys;
  for (const Json* side : {&a, &b}) {
    for (const auto& [key, value] : side->as_object()) keys.insert(key);
  }
  Json merged = Json::Object();
  for (const std::string& key : keys) {
    const Json *const one = a.Find(key), *const other = b.Find(key);
    if (IsUnited(key)) {
      merged[key] = United(one, other);
      continue;
    }
    const std::string text = one == nullptr ? "nothing" : one->Dump();
    const std::string other_text = other == nullptr ? "nothing" : other->Dump();
    if (key == kPartitionsKey && one != nullptr && other != nullptr && one->is_int() &&
        other->is_int()) {
      merged[key] = std::max(one->as_int(), other->as_int());
      continue;
    }
    if (text != other_text) {
      return Status(ErrorCode::kUsage,
                    "the configurations differ in '" + key + "': " + text + " and " + other_text +
                        "; build one of the datasets again with the value of the "
                        "other");
    }
    merged[key] = *one;
  }
  return merged;
}

Result<MergeReport> MergeDatasets(const MergeRequest& request, const BuildOptions& options) {
  for (const std::string& folder : {request.a, request.b}) {
    KM_RETURN_IF_ERROR(CheckOtherFolder(folder, options.output));
  }
  KM_RETURN_IF_ERROR(CheckVersions(request));
  MergeReport report;
  std::set<std::string> gone;
  for (const std::string& folder : {request.a, request.b}) {
    KM_ASSIGN(const std::vector<std::string> urls, RemovedFrom(folder));
    gone.insert(urls.begin(), urls.end());
  }
  KM_ASSIGN(const Json other, ReadJsonObject(request.b + "/" + std::string(kConfigurationName)));
  const ConfigurationEdit edit = [&](Json* configuration) -> Status {
    const bool samples = configuration->Find(kSamplesKey) != nullptr;
    if (samples || other.Find(kSamplesKey) != nullptr) {
      return Status(ErrorCode::kUsage, (samples ? request.a : request.b) +
                                           " is a dataset of samples; merge the datasets of its "
                                           "tasks, and run `rft` with the samples of both");
    }
    KM_ASSIGN(*configuration, MergedConfiguration(*configuration, other));
    std::erase_if((*configuration)[kSourcesKey].as_array(), [&](const Json& source) {
      const std::string url = source.TextAt("url");
      if (!gone.contains(url)) return false;
      report.removed.push_back(url);
      return true;
    });
    RemoveDefaults(/*sampled=*/false, configuration);
    return Status::Ok();
  };
  RederiveOptions places;
  places.sources = request.sources;
  places.cache = options.cache;
  AddPlaces(request.b, &places);
  KM_ASSIGN(const DatasetConfiguration configuration, ReadConfiguration(request.a, places, edit));
  KM_RETURN_IF_ERROR(PassOnRemovals(options.output, {gone.begin(), gone.end()}));
  KM_ASSIGN(report.built, BuildSftDataset(configuration.config, options));
  return report;
}

}  // namespace kernelmill
