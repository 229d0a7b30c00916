#include "stages/recipes/dataset_build.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "corpora/dataset/dataset_reader.h"
#include "corpora/quarantine.h"
#include "corpora/reject.h"
#include "manifests/commit_file.h"
#include "stages/engine/outcome_store.h"
#include "stages/pack/dataset_writer.h"
#include "stages/pack/describe.h"
#include "stages/pack/publish.h"
#include "stages/recipes/licence_files.h"
#include "stages/recipes/step_table.h"

namespace kernelmill {
namespace {

// The finished dataset from the same configuration, or nothing if there is none yet.
Result<std::optional<DatasetManifest>> FindFinished(const std::string& output,
                                                    const std::string& configuration) {
  Result<std::string> bytes = ReadFile(output + "/" + std::string(kManifestName));
  if (bytes.status().code() == ErrorCode::kNotFound) return std::optional<DatasetManifest>();
  if (!bytes.ok()) return bytes.status();
  const Result<std::string> before = ReadFile(output + "/" + std::string(kConfigurationName));
  if (!before.ok() || *before != configuration) {
    return Status(ErrorCode::kExists, output +
                                          " holds a finished dataset made from another "
                                          "configuration or sources; give --output another folder");
  }
  KM_ASSIGN(DatasetManifest manifest, DatasetManifest::Decode(*bytes));
  return std::optional<DatasetManifest>(std::move(manifest));
}

Status WriteQuarantine(const Run& run, const std::string& folder) {
  for (const auto& [plan, counts] : run.finished()) {
    const std::string path = folder + "/" + plan.step + ".mdb";
    // The file is left from an earlier run into the same folder.
    if (unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) {
      return Status::FromErrno("cannot remove", path);
    }
    if (counts.Rejected() == 0 && counts.rejected_items.empty()) continue;
    KM_RETURN_IF_ERROR(MakeFolders(folder));
    KM_ASSIGN(QuarantineWriter writer, QuarantineWriter::Create(path));
    KM_RETURN_IF_ERROR(
        run.ForEachReject(plan.step, [&](std::string_view, std::string_view bytes) -> Status {
          KM_ASSIGN(const Reject reject, Reject::Decode(bytes));
          return writer.Add(reject);
        }));
    KM_RETURN_IF_ERROR(writer.Finish());
  }
  return Status::Ok();
}

// The statistics of a dataset that was published before.
Result<DatasetStatistics> ReadStatistics(const std::string& folder) {
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(folder));
  DatasetStatistics statistics;
  KM_RETURN_IF_ERROR(reader.ForEach(Digest(), [&](const Digest&, const Record& record, bool*) {
    return statistics.Add(record);
  }));
  return statistics;
}

}  // namespace

SourceOptions SourceOptionsOf(const BuildOptions& options) {
  return {.cache = options.cache,
          .fetches = options.fetches,
          .lock = options.lock,
          .resumes = options.restart ? "" : options.output};
}

Result<std::optional<BuiltDataset>> FindBuilt(const std::string& output,
                                              const std::string& configuration) {
  KM_ASSIGN(std::optional<DatasetManifest> manifest, FindFinished(output, configuration));
  if (!manifest) return std::optional<BuiltDataset>();
  KM_ASSIGN(const DatasetStatistics statistics, ReadStatistics(output));
  RunSummary summary = RunSummary::Of(output, *manifest, statistics);
  summary.was_complete = true;
  return std::optional<BuiltDataset>({*std::move(manifest), std::move(summary)});
}

Result<Run> OpenRun(const Config& config, const BuildOptions& options, const ToolIdentity& tool) {
  KM_RETURN_IF_ERROR(CheckQuarantineFolder(options.output));
  KM_ASSIGN(Run run, Run::Open({.output = options.output,
                                .jobs = options.jobs,
                                .partitions = config.Integer("partitions"),
                                .tool = tool.digest,
                                .outcomes = options.outcomes ? OutcomeStore::DefaultFolder() : "",
                                .shuffle = options.shuffle,
                                .shuffle_seed = options.shuffle_seed,
                                .executor = options.executor}));
  if (options.restart) KM_RETURN_IF_ERROR(run.DiscardSteps());
  return run;
}

Result<BuiltDataset> PublishRun(const FinishedRun& finished) {
  const Run& run = finished.run;
  const std::string output = run.options().output;
  KM_ASSIGN(const PackOptions pack_options, PackOptions::Of(finished.config));
  KM_ASSIGN(DatasetWriter writer, DatasetWriter::Create(output, pack_options));
  DatasetStatistics statistics;
  Attribution attribution;
  KM_RETURN_IF_ERROR(
      finished.for_each_record([&](std::string_view, std::string_view body, bool*) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        KM_RETURN_IF_ERROR(statistics.Add(record));
        KM_RETURN_IF_ERROR(attribution.Add(record));
        return writer.Add(body);
      }));
  KM_ASSIGN(const PackedRecords packed, writer.Finish());
  KM_RETURN_IF_ERROR(WriteQuarantine(run, QuarantineFolderOf(output)));
  KM_RETURN_IF_ERROR(
      ReplaceFile(output + "/" + std::string(kConfigurationName), finished.configuration));
  KM_RETURN_IF_ERROR(
      ReplaceFile(output + "/" + std::string(kMixtureName), finished.mixture.ToJson().Pretty()));
  KM_RETURN_IF_ERROR(WriteLicenceFiles(attribution, finished.sources, output));
  DatasetFacts facts;
  facts.contaminated = finished.contaminated;
  for (const auto& [plan, counts] : run.finished()) {
    facts.plan.push_back({plan.step, plan.Identity()});
    facts.counts[plan.step] = counts;
  }
  for (const auto& [name, version] : finished.tool.versions.as_object()) {
    facts.versions[name] = version.as_string();
  }
  facts.files = PublishedFiles(packed, pack_options, attribution.TextBlobs(), finished.sampled);
  DatasetDescription description =
      DescriptionOf(packed, facts, StepTable(), statistics, finished.mixture.report());
  if (finished.describe) KM_RETURN_IF_ERROR(finished.describe(&description));
  KM_RETURN_IF_ERROR(DescribeDataset(output, description));
  KM_ASSIGN(DatasetManifest manifest, Publish(output, packed, facts));
  RunSummary summary = RunSummary::Of(output, manifest, statistics);
  return BuiltDataset{std::move(manifest), std::move(summary)};
}

}  // namespace kernelmill
