#include "stages/audit/append.h"

#include <algorithm>
#include <filesystem>

#include "stages/audit/dataset_configuration.h"
#include "stages/audit/rederive.h"
#include "stages/audit/removal_list.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/recipes/source_entries.h"
#include "stages/samples/sample_source.h"

namespace kernelmill {
namespace {

// The one key that a configuration may set here.
std::vector<ConfigKey> OnlySources() {
  std::vector<ConfigKey> keys = RunKeys();
  std::erase_if(keys, [](const ConfigKey& key) { return key.name != kSourcesKey; });
  return keys;
}

// The entries of `sources` as any process may read them: lists are read, and paths are absolute.
Result<Json::Array> AddedSources(const Config& config) {
  Json::Array added;
  KM_ASSIGN(const std::vector<SourceSpec> specs, SourceSpecs(config));
  for (const SourceSpec& spec : specs) {
    const std::string git =
        IsUrl(spec.git) ? spec.git : std::filesystem::absolute(spec.git).string();
    added.emplace_back(
        Json::Object{{"git", git}, {"revision", spec.RevisionName()}, {"url", spec.url}});
  }
  for (Json entry : config.Value(kSourcesKey).as_array()) {
    const std::string tasks = entry.TextAt("tasks");
    if (tasks.empty()) continue;
    entry["tasks"] = std::filesystem::absolute(config.Path(kSourcesKey, tasks)).string();
    added.push_back(std::move(entry));
  }
  return added;
}

// Whoever asked that a source be removed does not want to see it come back by an oversight.
Status CheckNotRemoved(const std::vector<std::string>& urls,
                       const std::vector<std::string>& removed, const AppendRequest& request) {
  for (const std::string& url : urls) {
    if (std::find(removed.begin(), removed.end(), url) == removed.end()) continue;
    return Status(ErrorCode::kUsage, request.configuration + ": a purge has removed " + url +
                                         " from this dataset, as " +
                                         CertificatePath(request.dataset) + " says");
  }
  return Status::Ok();
}

}  // namespace

Result<BuiltDataset> AppendSources(const AppendRequest& request, const BuildOptions& options) {
  KM_RETURN_IF_ERROR(CheckOtherFolder(request.dataset, options.output));
  KM_ASSIGN(const Config config, Config::Load(OnlySources(), request.configuration, {}));
  KM_ASSIGN(const Json::Array added, AddedSources(config));
  if (added.empty()) {
    return Status(ErrorCode::kConfig, request.configuration + ": sources: names nothing to append");
  }
  RederiveOptions places;
  places.sources = request.sources;
  places.cache = options.cache;
  const ConfigurationEdit edit = [&](Json* configuration) -> Status {
    if (configuration->Find(kSamplesKey) != nullptr) {
      return Status(ErrorCode::kUsage, request.dataset +
                                           " is a dataset of samples; append to the dataset of its "
                                           "tasks, and run `rft` again");
    }
    RemoveDefaults(/*sampled=*/false, configuration);
    return Status::Ok();
  };
  KM_ASSIGN(const DatasetConfiguration known, ReadConfiguration(request.dataset, places, edit));
  Json both = known.config.ToJson();
  RemoveDefaults(/*sampled=*/false, &both);
  Json::Array& sources = both[kSourcesKey].as_array();
  sources.insert(sources.end(), added.begin(), added.end());
  KM_ASSIGN(const Config whole, Config::Parse(SftKeys(), both.Dump(), request.configuration, {}));
  KM_RETURN_IF_ERROR(CheckSources(whole));
  KM_ASSIGN(const ResolvedSources resolved, ResolveSources(whole, SourceOptionsOf(options)));
  std::vector<std::string> urls;
  for (const ResolvedSource& source : resolved.repositories) urls.push_back(source.url);
  for (const TaskSource& source : resolved.tasks) urls.push_back(source.url);
  KM_ASSIGN(const std::vector<std::string> removed, RemovedFrom(request.dataset));
  KM_RETURN_IF_ERROR(CheckNotRemoved(urls, removed, request));
  KM_RETURN_IF_ERROR(PassOnRemovals(options.output, removed));
  return BuildSftDataset(whole, options);
}

}  // namespace kernelmill
