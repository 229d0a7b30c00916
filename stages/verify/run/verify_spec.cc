#include "stages/verify/run/verify_spec.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "corpora/records/task.h"
#include "parsers/samples/message_code.h"
#include "stages/engine/step_context.h"
#include "stages/samples/joined_sample.h"
#include "stages/samples/run_tasks.h"
#include "stages/verify/judge/judging_secret.h"
#include "stages/verify/judge/verdict_store.h"
#include "stages/verify/run/judge_keys.h"
#include "stages/verify/run/verify_step.h"

namespace kernelmill {
namespace {

// The samples of the step "join" as items. Those of one task follow each other.
class JoinedItems {
 public:
  JoinedItems(const RunTasks& tasks, const Run::Emit& emit) : tasks_(tasks), emit_(emit) {}

  Status Add(const JoinedSample& joined) {
    KM_ASSIGN(const Sample sample, Sample::FromJson(joined.record.payload));
    if (task_ != sample.task) {
      KM_RETURN_IF_ERROR(Propose());
      task_ = sample.task;
      KM_ASSIGN(Task task, Task::FromJson(tasks_.records.at(task_).payload));
      contract_ = task.Contract();
      reference_ = std::make_shared<const std::string>(std::move(task.code));
    }
    VerifyItem& item = items_.emplace_back();
    item.key = joined.key;
    item.id = joined.id;
    item.task = task_.Hex();
    item.attempt = joined.attempt;
    item.turn = sample.turn;
    item.reference = reference_;
    item.contract = contract_;
    item.backend = FindKernelBackend(sample.backend);
    item.read_code = [code = CodeOfSample(sample)]() -> Result<std::optional<std::string>> {
      return code;
    };
    return Status::Ok();
  }

  // Proposes what was added since the last call, so that only one task's samples are in memory.
  Status Propose() {
    KM_RETURN_IF_ERROR(VerifyStep::Inputs(items_, proposed_)(emit_));
    proposed_ += items_.size();
    items_.clear();
    return Status::Ok();
  }

 private:
  const RunTasks& tasks_;
  const Run::Emit& emit_;
  Digest task_;
  std::shared_ptr<const std::string> reference_;
  TaskContract contract_;
  std::vector<VerifyItem> items_;
  std::size_t proposed_ = 0;
};

Run::Propose ItemsOf(const Run& run) {
  return [&run](const Run::Emit& emit) -> Status {
    KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
    JoinedItems items(tasks, emit);
    KM_RETURN_IF_ERROR(
        run.ForEachOutput("join", [&](std::string_view, std::string_view body) -> Status {
          KM_ASSIGN(const Json json, Json::Parse(body));
          KM_ASSIGN(const JoinedSample joined, JoinedSample::FromJson(json));
          return items.Add(joined);
        }));
    return items.Propose();
  };
}

Result<ReadyStep> Make(const StepContext& context) {
  KM_ASSIGN(JudgingChoice judging, JudgingChoiceOf(context.config));
  if (JudgesInSecret(context.config)) {
    KM_ASSIGN(const VerdictStore store, VerdictStore::Open(VerdictStore::DefaultFolder()));
    KM_ASSIGN(const std::string initial, store.Secret());
    // A run goes on with the secret that it began with.
    KM_ASSIGN(judging.secret, KeepSecret(context.run.StatePath(kRunSecretName), initial));
  }
  KM_RETURN_IF_ERROR(PrepareJudging(judging).status());
  const StoreUse use = StoreUseOf(context);
  return ReadyStep{std::make_unique<VerifyStep>(judging, use, Json::Object{{"step", "join"}}),
                   ItemsOf(context.run)};
}

}  // namespace

StepSpec VerifySpec() {
  return {.name = "verify",
          .takes = "groups of samples of one task",
          .does = "each sample is judged",
          .reads = {"recall", "admit", "join"},
          .keys = JudgeKeys,
          .validate = [](const Config& config) { return JudgingChoiceOf(config).status(); },
          .make = Make};
}

}  // namespace kernelmill
