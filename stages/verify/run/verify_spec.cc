#include "stages/verify/run/verify_spec.h"

#include <map>
#include <memory>
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

using Items = std::vector<VerifyItem>;

// The joined samples in the order of their keys, so that those of one task follow each other.
Result<Items> ItemsOf(const Run& run) {
  KM_ASSIGN(const RunTasks tasks, RunTasks::Of(run));
  struct Reference {
    std::shared_ptr<const std::string> text;
    TaskContract contract;
  };
  std::map<Digest, Reference> references;
  std::map<std::string, VerifyItem> items;
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("join", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Json json, Json::Parse(body));
        KM_ASSIGN(const JoinedSample joined, JoinedSample::FromJson(json));
        KM_ASSIGN(const Sample sample, Sample::FromJson(joined.record.payload));
        Reference& reference = references[sample.task];
        if (reference.text == nullptr) {
          KM_ASSIGN(Task task, Task::FromJson(tasks.records.at(sample.task).payload));
          reference.contract = task.Contract();
          reference.text = std::make_shared<const std::string>(std::move(task.code));
        }
        VerifyItem& item = items[joined.key];
        item.key = joined.key;
        item.id = joined.id;
        item.task = sample.task.Hex();
        item.attempt = joined.attempt;
        item.turn = sample.turn;
        item.reference = reference.text;
        item.contract = reference.contract;
        item.backend = FindKernelBackend(sample.backend);
        item.read_code = [code = CodeOfSample(sample)]() -> Result<std::optional<std::string>> {
          return code;
        };
        return Status::Ok();
      }));
  Items sorted;
  for (auto& [key, item] : items) sorted.push_back(std::move(item));
  return sorted;
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
  KM_ASSIGN(Items read, ItemsOf(context.run));
  const auto items = std::make_shared<const Items>(std::move(read));
  // An audit judges anew, and does not believe what the store holds.
  const StoreUse use = context.wanted ? StoreUse::kIgnore : StoreUse::kUse;
  return ReadyStep{std::make_unique<VerifyStep>(judging, use, Json::Object{{"step", "join"}}),
                   [items](const Run::Emit& emit) { return VerifyStep::Inputs(*items)(emit); }};
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
