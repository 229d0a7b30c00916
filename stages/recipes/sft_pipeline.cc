#include "stages/recipes/sft_pipeline.h"

#include <unistd.h>

#include <cerrno>

#include "corpora/dataset/dataset_reader.h"
#include "corpora/quarantine.h"
#include "manifests/commit_file.h"
#include "stages/dedup/dedup_step.h"
#include "stages/engine/progress.h"
#include "stages/engine/subject_records.h"
#include "stages/engine/tool_identity.h"
#include "stages/mix/mix_rows.h"
#include "stages/pack/dataset_writer.h"
#include "stages/pack/describe.h"
#include "stages/pack/publish.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/run_steps.h"
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
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  for (const auto& [plan, counts] : run.finished()) {
    if (counts.Rejected() == 0 && counts.rejected_items.empty()) continue;
    const std::string path = folder + "/" + plan.step + ".mdb";
    // The file is left from a run that was killed before it published.
    if (unlink(path.c_str()) != 0 && errno != ENOENT) {
      return Status::FromErrno("cannot remove", path);
    }
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

std::vector<ConfigKey> SftKeys() { return KeysOf(StepsOf("sft")); }

Status RunStepsUpToRows(Run& run, const Config& config, const ResolvedSources& sources,
                        const OriginFilter& wanted) {
  return RunSteps(run, StepsOf("sft"), config, sources, wanted);
}

Result<Mixture> MixtureOf(const Run& run, const Config& config) {
  KM_ASSIGN(const MixOptions options, MixOptions::Of(config));
  KM_ASSIGN(const RowMixer mixer, RowMixer::Of(run, "render"));
  return mixer.Solve(run, "measure", options);
}

Status ForEachRecord(const Run& run, const Mixture& mixture, const ShardReader::Visit& visit) {
  KM_ASSIGN(const RowMixer mixer, RowMixer::Of(run, "render"));
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(run.StatePath("steps"), MergeRecords));
  const auto put = [&](std::string_view key, std::string_view body) {
    return sorter.Put(key, body);
  };
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("render", [&](std::string_view key, std::string_view body) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        // Rows are taken from the step "measure" below.
        return record.kind == RecordKind::kTraining ? Status::Ok() : put(key, body);
      }));
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("measure", [&](std::string_view key, std::string_view body) -> Status {
        KM_ASSIGN(Record record, Record::Decode(body));
        KM_RETURN_IF_ERROR(mixer.Weigh(mixture, &record));
        return put(key, record.Encode());
      }));
  return sorter.ForEach(visit);
}

Result<BuiltDataset> BuildSftDataset(const Config& config, const SftOptions& options) {
  KM_RETURN_IF_ERROR(CheckSettings(StepsOf("sft"), config));
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(const PackOptions pack_options, PackOptions::Of(config));
  HeldCommits held;
  if (!options.restart) {
    KM_ASSIGN(held, HeldCommitsOf(options.output));
  }
  KM_ASSIGN(const ResolvedSources sources, ResolveSources(config, options.cache, held));
  KM_ASSIGN(const std::string configuration, ConfigurationText(config, sources));
  KM_ASSIGN(const std::optional<DatasetManifest> finished,
            FindFinished(options.output, configuration));
  if (finished) {
    KM_ASSIGN(const DatasetStatistics statistics, ReadStatistics(options.output));
    RunSummary summary = RunSummary::Of(options.output, *finished, statistics);
    summary.was_complete = true;
    return BuiltDataset{*finished, std::move(summary)};
  }
  KM_ASSIGN(Run run, Run::Open({.output = options.output,
                                .jobs = options.jobs,
                                .partitions = config.Integer("partitions"),
                                .tool = tool.digest,
                                .shuffle = options.shuffle,
                                .shuffle_seed = options.shuffle_seed}));
  if (options.restart) KM_RETURN_IF_ERROR(run.RemoveSteps());
  KM_RETURN_IF_ERROR(HoldSources(run, sources));
  KM_RETURN_IF_ERROR(RunStepsUpToRows(run, config, sources));

  KM_ASSIGN(DatasetWriter writer, DatasetWriter::Create(options.output, pack_options));
  DatasetStatistics statistics;
  KM_ASSIGN(const Mixture mixture, MixtureOf(run, config));
  KM_RETURN_IF_ERROR(
      ForEachRecord(run, mixture, [&](std::string_view, std::string_view body, bool*) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        KM_RETURN_IF_ERROR(statistics.Add(record));
        return writer.Add(body);
      }));
  KM_ASSIGN(const PackedRecords packed, writer.Finish());
  KM_RETURN_IF_ERROR(WriteQuarantine(run, options.output + "/quarantine"));
  KM_RETURN_IF_ERROR(
      ReplaceFile(options.output + "/" + std::string(kConfigurationName), configuration));
  KM_RETURN_IF_ERROR(
      ReplaceFile(options.output + "/" + std::string(kMixtureName), mixture.ToJson().Pretty()));
  KM_RETURN_IF_ERROR(WriteDuplicateList(run, options.output));
  KM_RETURN_IF_ERROR(RememberFolders(run, config, sources));
  DatasetFacts facts;
  for (const auto& [plan, counts] : run.finished()) {
    facts.plan.push_back({plan.step, plan.Identity()});
    facts.counts[plan.step] = counts;
  }
  for (const auto& [name, version] : tool.versions.as_object()) {
    facts.versions[name] = version.as_string();
  }
  KM_RETURN_IF_ERROR(
      DescribeDataset(options.output, packed, facts, StepTable(), statistics, mixture.report()));
  KM_ASSIGN(DatasetManifest manifest, Publish(options.output, packed, facts));
  KM_RETURN_IF_ERROR(run.RemoveSteps());
  RunSummary summary = RunSummary::Of(options.output, manifest, statistics);
  return BuiltDataset{std::move(manifest), std::move(summary)};
}

}  // namespace kernelmill
