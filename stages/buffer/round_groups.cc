#include "stages/buffer/round_groups.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "corpora/records/task.h"
#include "parsers/samples/message_code.h"
#include "stages/publishable/forbidden_text.h"
#include "stages/samples/joined_sample.h"
#include "stages/samples/run_verdicts.h"

namespace kernelmill {
namespace {

// The groups of one task, by backend and whether they are retries, with the records of their
// samples.
struct TaskGroups {
  std::map<std::pair<std::string, bool>, RetryGroup> groups;
  std::map<Digest, std::vector<std::string>> records;
};

// Why the task must not come into the buffer; "" if it may.
std::string WhyLeftOut(const RunTasks& tasks, const Digest& task, bool allow_protected) {
  if (!allow_protected && !tasks.ProtectedAs(task).empty()) return "protected";
  return tasks.annotations.contains(task) ? "" : "not_admitted";
}

// Moves the groups of a finished task. Only the answer that came closest keeps its text.
void Close(const RunTasks& tasks, const RetryOptions& options, bool allow_protected,
           TaskGroups* task, RoundGroups* all) {
  for (auto& [backend, group] : task->groups) {
    ++all->prompts;
    const GroupOutcome outcome = GroupOutcomeOf(group, options);
    if (const std::string why = WhyLeftOut(tasks, group.key.task, allow_protected); !why.empty()) {
      if (!outcome.solved) all->left_out[group.key] = why;
      continue;
    }
    if (outcome.closest != nullptr) {
      all->shown[outcome.closest->id] = std::move(task->records.at(outcome.closest->id));
    }
    for (RetrySample& sample : group.samples) {
      const bool is_shown = &sample == outcome.closest;
      // Without an answer to show, the codes say why there is none.
      if (!is_shown && (outcome.solved || outcome.closest != nullptr)) sample.code.clear();
    }
    all->groups.push_back(std::move(group));
  }
  *task = TaskGroups();
}

}  // namespace

Result<RoundGroups> RoundGroups::Of(const Run& run, const RunTasks& tasks,
                                    const RetryOptions& options, bool allow_protected,
                                    const SampleMeasurements& measurements) {
  KM_ASSIGN(auto verdicts, VerdictsOf(run));
  RoundGroups all;
  TaskGroups task;
  std::optional<Digest> of;
  // Keys begin with the task, so that the samples of one follow each other.
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("join", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Json json, Json::Parse(body));
        KM_ASSIGN(JoinedSample joined, JoinedSample::FromJson(json));
        KM_ASSIGN(const Sample sample, Sample::FromJson(joined.record.payload));
        if (of != sample.task) Close(tasks, options, allow_protected, &task, &all);
        of = sample.task;
        RetryGroup& group = task.groups[{sample.backend, sample.repairs.has_value()}];
        group.key = {sample.task, sample.backend};
        group.retry = sample.repairs.has_value();
        const Digest id = joined.record.ContentId();
        std::string code = CodeOfSample(sample).value_or("");
        // What no row may hold is not shown to a model either.
        if (!RefuseText(code).empty()) code.clear();
        Verdict verdict = std::move(verdicts.at(joined.key));
        if (!measurements.empty() && verdict.status == VerdictStatus::kCorrect) {
          KM_ASSIGN(const Task payload, Task::FromJson(tasks.records.at(sample.task).payload));
          const Measurement* const measured = measurements.Find(payload.code, sample);
          if (measured != nullptr && measured->IsFailure()) {
            verdict.status = VerdictStatus::kUndecided;
          }
        }
        group.samples.push_back({id, std::move(code), std::move(verdict)});
        joined.repaired.push_back(joined.record.Encode());
        task.records[id] = std::move(joined.repaired);
        return Status::Ok();
      }));
  Close(tasks, options, allow_protected, &task, &all);
  return all;
}

}  // namespace kernelmill
