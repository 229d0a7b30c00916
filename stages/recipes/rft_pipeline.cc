#include "stages/recipes/rft_pipeline.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "manifests/commit_file.h"
#include "stages/buffer/buffer_step.h"
#include "stages/engine/progress.h"
#include "stages/mine/mine_keys.h"
#include "stages/recall/recall_step.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/judging_file.h"
#include "stages/recipes/rank_run.h"
#include "stages/recipes/run_rewards.h"
#include "stages/recipes/run_steps.h"
#include "stages/recipes/sample_verdicts.h"
#include "stages/recipes/sampled_sources.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/recipes/step_table.h"
#include "stages/select/select_step.h"
#include "stages/verify/judge/judging_secret.h"
#include "stages/verify/run/judge_keys.h"
#include "stages/verify/run/verify_spec.h"

namespace kernelmill {
namespace {

// The samples of "verify" whose status is "infra".
std::int64_t Unjudged(const Run& run) {
  for (const auto& [plan, counts] : run.finished()) {
    if (plan.step != "verify") continue;
    const auto found = counts.counters.find(std::string(StatusName(VerdictStatus::kInfra)));
    if (found != counts.counters.end()) return found->second;
  }
  return 0;
}

Result<std::string> JudgingTextOf(const Run& run, const Config& config) {
  std::string secret;
  if (JudgesInSecret(config)) {
    KM_ASSIGN(const std::string text, ReadFile(run.StatePath(kRunSecretName)));
    KM_ASSIGN(secret, KeepSecret(run.StatePath(kRunSecretName), text));
  }
  return JudgingText(config, secret);
}

// The files of a run are hashed when it begins and read later. What it publishes under their hashes
// must have been made from them.
Status CheckUnchanged(const Config& config, const std::string& configuration) {
  KM_ASSIGN(const ResolvedSources sources, ResolveSampledSources(config));
  KM_ASSIGN(const std::string now, SampledConfigurationText(config, sources));
  if (now == configuration) return Status::Ok();
  return Status(ErrorCode::kConfig,
                "a file that tasks, samples, select.measurements, reward.policy_log_probs or "
                "retry.previous names was changed while this ran; wait until nothing writes to "
                "it, and start again with --restart");
}

std::vector<Record> RecordsOf(const RunTasks& tasks) {
  std::vector<Record> records;
  for (const auto& [id, record] : tasks.records) records.push_back(record);
  for (const auto& [id, record] : tasks.annotations) records.push_back(record);
  return records;
}

// Whether rows may be made from problems of a protected benchmark: the run allows it, and has one.
bool IsContaminated(const RunTasks& tasks, const Config& config) {
  return config.Bool(kAllowProtectedKey) &&
         std::any_of(tasks.records.begin(), tasks.records.end(),
                     [&](const auto& task) { return !tasks.ProtectedAs(task.first).empty(); });
}

}  // namespace

std::vector<ConfigKey> RftKeys() {
  std::vector<ConfigKey> keys = KeysOf(StepsOf("rft"));
  std::erase_if(keys, [](const ConfigKey& key) { return key.name == "sources"; });
  // Limits of "supply".
  for (ConfigKey& key : MineKeys()) {
    if (key.name == "mine.max_file_bytes" || key.name == "mine.licences" ||
        key.name == "exclude_sources") {
      keys.push_back(std::move(key));
    }
  }
  return keys;
}

Status RunRftSteps(Run& run, const Config& config, const ResolvedSources& sources,
                   const OriginFilter& wanted) {
  KM_ASSIGN(const SelectOptions options, SelectOptions::Of(config));
  const bool together = options.selection.token_budget > 0 || options.selection.max_samples > 0;
  const OriginFilter all = [](const std::vector<Origin>&) { return true; };
  return RunSteps(run, StepsOf("rft"), config, sources, wanted && together ? all : wanted);
}

Status ForEachRftRecord(const Run& run, const RowMixer& mixer, const Mixture& mixture,
                        const ShardReader::Visit& visit) {
  KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
  return ForEachRecord(run, mixer, mixture, visit, RecordsOf(tasks));
}

Status AdoptSecret(const std::string& folder, const Config& config, const Run& run) {
  KM_ASSIGN(const std::string secret, PublishedSecret(folder, config));
  return secret.empty() ? Status::Ok() : KeepSecret(run.StatePath(kRunSecretName), secret).status();
}

Result<SampleFacts> SampleFactsOf(const std::string& folder, const RunTasks& tasks) {
  const auto read = [&](std::string_view name) -> Result<Json> {
    const std::string path = folder + "/" + std::string(name);
    KM_ASSIGN(const std::string text, ReadFile(path));
    Result<Json> json = Json::Parse(text);
    if (!json.ok()) return json.status().Within(path);
    return json;
  };
  SampleFacts facts;
  KM_ASSIGN(const Json configuration, read(kConfigurationName));
  if (const Json* samples = configuration.Find(kSamplesKey); samples && samples->is_array()) {
    for (const Json& source : samples->as_array()) facts.files.push_back(source.TextAt("name"));
  }
  KM_ASSIGN(const VerdictSamples judged,
            ReadSampleVerdicts(folder + "/" + std::string(kVerdictsName), tasks));
  const Scores scores = ScoreSamples(judged.samples);
  facts.samples = scores.all.samples;
  facts.repairs = judged.retries;
  facts.tasks = static_cast<std::int64_t>(tasks.records.size());
  for (const auto& [id, record] : tasks.records) {
    facts.protected_tasks += tasks.ProtectedAs(id).empty() ? 0 : 1;
  }
  KM_ASSIGN(facts.selection, read(kSelectionName));
  facts.scores = scores.ToJson();
  KM_ASSIGN(const RetryFolder retry, ReadRetryFolder(folder + "/" + std::string(kRetryFolderName)));
  facts.retry = retry.Summary();
  KM_ASSIGN(facts.rewards, read(kRewardsName));
  return facts;
}

Result<BuiltDataset> BuildRftDataset(const Config& config, const BuildOptions& options) {
  KM_RETURN_IF_ERROR(CheckSettings(StepsOf("rft"), config));
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(const ResolvedSources sources, ResolveSampledSources(config));
  KM_ASSIGN(const std::string configuration, SampledConfigurationText(config, sources));
  KM_ASSIGN(std::optional<BuiltDataset> built, FindBuilt(options.output, configuration));
  if (built) {
    KM_ASSIGN(const RetryFolder retry,
              ReadRetryFolder(options.output + "/" + std::string(kRetryFolderName)));
    built->summary.retry = RetryText(retry.Summary());
    return *std::move(built);
  }
  KM_ASSIGN(Run run, OpenRun(config, options, tool));
  KM_RETURN_IF_ERROR(CheckPolicyLogProbs(run, config, sources));
  KM_RETURN_IF_ERROR(HoldSources(run, sources));
  if (!options.secret_of.empty()) KM_RETURN_IF_ERROR(AdoptSecret(options.secret_of, config, run));
  KM_RETURN_IF_ERROR(RecordForRanks(run, "rft", config, sources));
  KM_RETURN_IF_ERROR(RunRftSteps(run, config, sources));
  if (const std::int64_t unjudged = Unjudged(run); unjudged > 0) {
    KM_RETURN_IF_ERROR(run.DiscardSteps());
    return Status(ErrorCode::kWorker,
                  std::to_string(unjudged) +
                      " samples have no verdict, because their processes were ended from outside "
                      "or this machine ran short; the same command judges them again");
  }
  KM_ASSIGN(const RowMixer mixer, MixerOf(run, config));
  KM_ASSIGN(const Mixture mixture, MixtureOf(run, mixer, config));
  KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
  const auto path = [&](std::string_view name) { return options.output + "/" + std::string(name); };
  KM_RETURN_IF_ERROR(WriteSampleVerdicts(run, path(kVerdictsName)));
  KM_ASSIGN(const SelectOptions select, SelectOptions::Of(config));
  KM_RETURN_IF_ERROR(CheckUnchanged(config, configuration));
  KM_ASSIGN(const std::int64_t measured,
            WriteSampleMeasurements(run, select.measurements, path(kVerdictsName),
                                    path(kMeasurementsName)));
  if (select.measurements.digest()) {
    const std::string text = config.Path(kMeasurementsKey) + ": it has the times of " +
                             std::to_string(measured) + " correct samples";
    measured > 0 ? Say(text) : Warn(text + "; is it of other samples?");
  }
  KM_ASSIGN(const VerdictSamples judged, ReadSampleVerdicts(path(kVerdictsName), tasks));
  KM_RETURN_IF_ERROR(
      ReplaceFile(path(kScoresName), ScoreSamples(judged.samples).ToJson().Pretty()));
  KM_ASSIGN(const std::string selection, ReadFile(run.StatePath(kSelectionStateName)));
  KM_RETURN_IF_ERROR(ReplaceFile(path(kSelectionName), selection));
  KM_ASSIGN(const RoundRewards rewards, RewardsOfRun(run, config, sources, options.output));
  KM_RETURN_IF_ERROR(ReplaceFile(path(kRewardLinesName), rewards.lines));
  KM_RETURN_IF_ERROR(ReplaceFile(path(kRewardsName), rewards.summary.Pretty()));
  KM_ASSIGN(RetryFolder retry, RetryFolderOf(run, sources.previous.get()));
  KM_RETURN_IF_ERROR(WriteRetryFolder(path(kRetryFolderName), &retry));
  KM_ASSIGN(const std::string judging, JudgingTextOf(run, config));
  KM_RETURN_IF_ERROR(ReplaceFile(path(kJudgingName), judging));
  KM_RETURN_IF_ERROR(RememberFolders(run, config, sources));
  KM_ASSIGN(BuiltDataset dataset,
            PublishRun({.run = run,
                        .config = config,
                        .tool = tool,
                        .sources = sources,
                        .configuration = configuration,
                        .mixture = mixture,
                        .for_each_record =
                            [&](const ShardReader::Visit& visit) {
                              return ForEachRftRecord(run, mixer, mixture, visit);
                            },
                        .describe = [&](DatasetDescription* description) -> Status {
                          KM_ASSIGN(description->samples, SampleFactsOf(options.output, tasks));
                          return Status::Ok();
                        },
                        .sampled = true,
                        .contaminated = IsContaminated(tasks, config)}));
  dataset.summary.retry = RetryText(retry.Summary());
  KM_RETURN_IF_ERROR(run.RemoveSteps());
  return dataset;
}

}  // namespace kernelmill
