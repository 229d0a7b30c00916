#include "stages/recipes/asked_tasks.h"

#include <map>
#include <utility>

#include "corpora/reject.h"
#include "generators/wording/number_format.h"
#include "stages/engine/progress.h"
#include "stages/engine/tool_identity.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/run_steps.h"
#include "stages/recipes/sampled_sources.h"
#include "stages/recipes/step_table.h"
#include "stages/render/split.h"
#include "stages/samples/run_tasks.h"

namespace kernelmill {
namespace {

Result<Run> RunAskSteps(const Config& config, const ResolvedSources& sources,
                        const RunOptions& options) {
  KM_ASSIGN(Run run, Run::Open(options));
  KM_RETURN_IF_ERROR(HoldSources(run, sources));
  KM_RETURN_IF_ERROR(RunSteps(run, StepsOf("ask"), config, sources));
  return run;
}

Result<Run> RunOrBeginAnew(const Config& config, const ResolvedSources& sources,
                           const std::string& output, int jobs) {
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  const RunOptions options = {.output = output,
                              .jobs = jobs,
                              .partitions = config.Integer("partitions"),
                              .tool = tool.digest};
  Result<Run> run = RunAskSteps(config, sources, options);
  if (run.status().code() != ErrorCode::kPlanChanged) return run;
  {
    KM_ASSIGN(Run before, Run::Open(options));
    KM_RETURN_IF_ERROR(before.DiscardSteps());
  }
  return RunAskSteps(config, sources, options);
}

// Where a task came from, for people.
std::string NameOf(const Reject& reject) {
  return reject.origins.empty() ? reject.key : reject.origins.front().Identifier();
}

// The content_ids that tasks have before "admit" completes their inputs, by their text.
Result<std::map<std::string, Digest>> RecalledIds(const Run& run) {
  std::map<std::string, Digest> ids;
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("recall", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        ids.emplace(record.payload.TextAt("code"), record.ContentId());
        return Status::Ok();
      }));
  return ids;
}

Status AskAboutFiles(const Config& config, const ResolvedSources& sources,
                     const std::string& output, int jobs, const QuestionOptions& options,
                     const TaskQuestions::Visit& visit) {
  KM_ASSIGN(const Run run, RunOrBeginAnew(config, sources, output, jobs));
  for (const char* step : {"supply", "admit"}) {
    KM_RETURN_IF_ERROR(
        run.ForEachReject(step, [&](std::string_view, std::string_view bytes) -> Status {
          KM_ASSIGN(const Reject reject, Reject::Decode(bytes));
          Warn("sample: no question about " + NameOf(reject) + ": " + reject.reason +
               (reject.detail.empty() ? "" : ": " + reject.detail));
          return Status::Ok();
        }));
  }
  KM_ASSIGN(const auto recalled, RecalledIds(run));
  KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
  for (const auto& [id, annotation] : tasks.annotations) {
    const Record& task = tasks.records.at(id);
    const std::string split =
        SplitOf(task, config.String("render.split_salt"), config.Number("render.validation_share"));
    KM_RETURN_IF_ERROR(AskAboutTask(recalled.at(task.payload.TextAt("code")), task, annotation,
                                    split, options, visit));
  }
  return Status::Ok();
}

}  // namespace

Status AskAboutSources(const Config& config, const std::string& output, int jobs,
                       const QuestionOptions& options, const TaskQuestions::Visit& visit) {
  KM_RETURN_IF_ERROR(CheckSettings(StepsOf("ask"), config));
  KM_ASSIGN(ResolvedSources sources, ResolveSampledTasks(config));
  std::int64_t asked = 0;
  const auto counted = [&](const TaskQuestion& question) {
    ++asked;
    return visit(question);
  };
  for (const TaskDataset& dataset : std::exchange(sources.datasets, {})) {
    KM_ASSIGN(const std::int64_t left_out, AskAboutTasks(dataset.folder, options, counted));
    if (left_out > 0) {
      Say("sample: " + dataset.folder + ": no question about " + Counted(left_out, "task") +
          " without rows");
    }
  }
  if (!sources.tasks.empty()) {
    KM_RETURN_IF_ERROR(AskAboutFiles(config, sources, output, jobs, options, counted));
  }
  if (asked > 0) return Status::Ok();
  return Status(ErrorCode::kUsage, "tasks: none of these tasks can be asked about");
}

}  // namespace kernelmill
