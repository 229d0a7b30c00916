#include "stages/recipes/sft_pipeline.h"

#include <optional>
#include <utility>

#include "stages/dedup/dedup_step.h"
#include "stages/engine/subject_records.h"
#include "stages/engine/tool_identity.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/rank_run.h"
#include "stages/recipes/run_steps.h"
#include "stages/recipes/source_entries.h"
#include "stages/recipes/step_table.h"

namespace kernelmill {

std::vector<ConfigKey> SftKeys() { return KeysOf(StepsOf("sft")); }

Status RunStepsUpToRows(Run& run, const Config& config, const ResolvedSources& sources,
                        const OriginFilter& wanted) {
  return RunSteps(run, StepsOf("sft"), config, sources, wanted);
}

Result<RowMixer> MixerOf(const Run& run, const Config& config) {
  return RowMixer::Of(run, "render", "measure", NearEqualOptions::Of(config));
}

Result<Mixture> MixtureOf(const Run& run, const RowMixer& mixer, const Config& config) {
  KM_ASSIGN(const MixOptions options, MixOptions::Of(config));
  return mixer.Solve(run, "measure", options);
}

Status ForEachRecord(const Run& run, const RowMixer& mixer, const Mixture& mixture,
                     const ShardReader::Visit& visit, const std::vector<Record>& also) {
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(run.StatePath("steps"), MergeRecords));
  const auto put = [&](std::string_view key, std::string_view body) {
    return sorter.Put(key, body);
  };
  for (const Record& record : also) {
    KM_RETURN_IF_ERROR(put(record.ContentId().AsKey(), record.Encode()));
  }
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

Result<BuiltDataset> BuildSftDataset(const Config& config, const BuildOptions& options) {
  KM_RETURN_IF_ERROR(CheckSources(config));
  KM_RETURN_IF_ERROR(CheckSettings(StepsOf("sft"), config));
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(const ResolvedSources sources, ResolveSources(config, SourceOptionsOf(options)));
  KM_ASSIGN(const std::string configuration, ConfigurationText(config, sources));
  KM_ASSIGN(std::optional<BuiltDataset> built, FindBuilt(options.output, configuration));
  if (built) return *std::move(built);
  KM_ASSIGN(Run run, OpenRun(config, options, tool));
  KM_RETURN_IF_ERROR(HoldSources(run, sources));
  KM_RETURN_IF_ERROR(RecordForRanks(run, "sft", config, sources));
  KM_RETURN_IF_ERROR(RunStepsUpToRows(run, config, sources));
  KM_ASSIGN(const RowMixer mixer, MixerOf(run, config));
  KM_ASSIGN(const Mixture mixture, MixtureOf(run, mixer, config));
  KM_RETURN_IF_ERROR(WriteDuplicateList(run, options.output));
  KM_RETURN_IF_ERROR(RememberFolders(run, config, sources));
  KM_ASSIGN(BuiltDataset dataset,
            PublishRun({.run = run,
                        .config = config,
                        .tool = tool,
                        .sources = sources,
                        .configuration = configuration,
                        .mixture = mixture,
                        .for_each_record = [&](const ShardReader::Visit& visit) {
                          return ForEachRecord(run, mixer, mixture, visit);
                        }}));
  KM_RETURN_IF_ERROR(run.RemoveSteps());
  return dataset;
}

}  // namespace kernelmill
