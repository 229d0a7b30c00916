#include "stages/recipes/asked_tasks.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

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

// What the runs of one command have in common.
struct Asked {
  const Config& config;
  const ResolvedSources& sources;
  const std::string& output;
  int jobs = 0;
};

Result<Run> RunAskSteps(const Asked& asked, const std::vector<StepSpec>& steps,
                        const OriginFilter& wanted, const RunOptions& options) {
  KM_ASSIGN(Run run, Run::Open(options));
  KM_RETURN_IF_ERROR(HoldSources(run, asked.sources));
  KM_RETURN_IF_ERROR(RunSteps(run, steps, asked.config, asked.sources, wanted));
  return run;
}

Result<Run> RunOrBeginAnew(const Asked& asked, const std::vector<StepSpec>& steps,
                           const std::string& folder, const OriginFilter& wanted = nullptr) {
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  const RunOptions options = {.output = asked.output + folder,
                              .jobs = asked.jobs,
                              .partitions = asked.config.Integer("partitions"),
                              .tool = tool.digest};
  Result<Run> run = RunAskSteps(asked, steps, wanted, options);
  if (run.status().code() != ErrorCode::kPlanChanged) return run;
  {
    KM_ASSIGN(Run before, Run::Open(options));
    KM_RETURN_IF_ERROR(before.DiscardSteps());
  }
  return RunAskSteps(asked, steps, wanted, options);
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

Status WarnOfRejects(const Run& run, const char* step) {
  return run.ForEachReject(step, [&](std::string_view, std::string_view bytes) -> Status {
    KM_ASSIGN(const Reject reject, Reject::Decode(bytes));
    Warn("sample: no question about " + NameOf(reject) + ": " + reject.reason +
         (reject.detail.empty() ? "" : ": " + reject.detail));
    return Status::Ok();
  });
}

// Visits the questions about the tasks that a run has admitted, and adds their number to `asked`.
Status AskAboutAdmitted(const Run& run, const Config& config, const QuestionOptions& options,
                        const TaskQuestions::Visit& visit, std::int64_t* asked) {
  KM_RETURN_IF_ERROR(WarnOfRejects(run, "admit"));
  KM_ASSIGN(const auto recalled, RecalledIds(run));
  KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
  for (const auto& [id, annotation] : tasks.annotations) {
    const Record& task = tasks.records.at(id);
    const std::string split =
        SplitOf(task, config.String("render.split_salt"), config.Number("render.validation_share"));
    KM_RETURN_IF_ERROR(AskAboutTask(recalled.at(task.payload.TextAt("code")), task, annotation,
                                    split, options, visit));
    ++*asked;
  }
  return Status::Ok();
}

Status AskAboutFiles(const Asked& asked, const QuestionOptions& options,
                     const TaskQuestions::Visit& visit) {
  KM_ASSIGN(const Run run, RunOrBeginAnew(asked, StepsOf("ask"), ""));
  KM_RETURN_IF_ERROR(WarnOfRejects(run, "supply"));
  std::int64_t tasks = 0;
  return AskAboutAdmitted(run, asked.config, options, visit, &tasks);
}

// About `most` tasks. They are listed without running them; then so many as are missing are
// admitted at a time, each time in a folder of its own, because the inputs of a step are frozen.
Status AskAboutSomeFiles(const Asked& asked, std::int64_t most, const QuestionOptions& options,
                         const TaskQuestions::Visit& visit) {
  std::vector<StepSpec> listing = StepsOf("ask");
  std::erase_if(listing, [](const StepSpec& step) { return step.name == "admit"; });
  std::map<Digest, std::vector<Origin>> listed;  // By content_id.
  {
    KM_ASSIGN(const Run run, RunOrBeginAnew(asked, listing, "/listed"));
    KM_RETURN_IF_ERROR(WarnOfRejects(run, "supply"));
    KM_RETURN_IF_ERROR(
        run.ForEachOutput("recall", [&](std::string_view, std::string_view body) -> Status {
          KM_ASSIGN(const Record record, Record::Decode(body));
          listed[record.ContentId()] = record.origins;
          return Status::Ok();
        }));
  }
  std::int64_t tasks = 0, first = 0;
  for (auto next = listed.begin(); tasks < most && next != listed.end();) {
    std::set<Origin> origins;
    std::int64_t count = 0;
    for (; count < most - tasks && next != listed.end(); ++count, ++next) {
      origins.insert(next->second.begin(), next->second.end());
    }
    const std::string folder = "/" + std::to_string(first) + "-" + std::to_string(first + count);
    first += count;
    KM_ASSIGN(const Run run,
              RunOrBeginAnew(asked, StepsOf("ask"), folder, [&](const std::vector<Origin>& found) {
                return std::ranges::any_of(
                    found, [&](const Origin& origin) { return origins.contains(origin); });
              }));
    KM_RETURN_IF_ERROR(AskAboutAdmitted(run, asked.config, options, visit, &tasks));
  }
  return Status::Ok();
}

}  // namespace

Status AskAboutSources(const Config& config, const std::string& output, int jobs, std::int64_t most,
                       const QuestionOptions& options, const TaskQuestions::Visit& visit) {
  KM_RETURN_IF_ERROR(CheckSettings(StepsOf("ask"), config));
  KM_ASSIGN(ResolvedSources sources, ResolveSampledTasks(config));
  std::int64_t asked = 0;
  std::set<Digest> tasks;
  const auto counted = [&](const TaskQuestion& question) {
    ++asked;
    tasks.insert(question.task_id);
    return visit(question);
  };
  for (const TaskDataset& dataset : std::exchange(sources.datasets, {})) {
    KM_ASSIGN(const std::int64_t left_out, AskAboutTasks(dataset.folder, options, counted));
    if (left_out > 0) {
      Say("sample: " + dataset.folder + ": no question about " + Counted(left_out, "task") +
          " without rows");
    }
  }
  const auto known = static_cast<std::int64_t>(tasks.size());
  const Asked files = {.config = config, .sources = sources, .output = output, .jobs = jobs};
  if (!sources.tasks.empty() && (most == 0 || known < most)) {
    KM_RETURN_IF_ERROR(most == 0 ? AskAboutFiles(files, options, counted)
                                 : AskAboutSomeFiles(files, most - known, options, counted));
  }
  if (asked > 0) return Status::Ok();
  return Status(ErrorCode::kUsage, "tasks: none of these tasks can be asked about");
}

}  // namespace kernelmill
