#include "stages/check/check_step.h"

#include <algorithm>

#include "corpora/kernel_backend.h"
#include "generators/checks/check_text.h"
#include "stages/check/check_trial.h"
#include "stages/engine/subject_records.h"

namespace kernelmill {
namespace {

struct CheckLane : Lane {
  explicit CheckLane(StoreUse store_use) : trials(store_use) {}
  CheckTrials trials;
};

Check WriteCheckOf(const KnownTask& known, const std::string& backend, std::int64_t seed,
                   std::int64_t attempt) {
  const Wording wording(
      Sha256().Field(known.id.AsKey()).Field(backend).Field(std::to_string(attempt)).Finish(),
      seed);
  const CheckPlan plan = PlanCheck(known, backend, wording);
  CheckText text = WriteCheck(plan, wording);
  Check check;
  check.task = known.id;
  check.backend = backend;
  check.code = std::move(text.code);
  check.construction = std::move(text.construction);
  check.aspects = plan.Aspects(wording);
  return check;
}

std::string_view NameOf(CheckFate fate) {
  switch (fate) {
    case CheckFate::kHolds:
      return "checks.hold";
    case CheckFate::kRefusesRight:
      return "checks.refuse_right_answers";
    case CheckFate::kMissesBugs:
      return "checks.miss_bugs";
  }
  return "checks.hold";
}

}  // namespace

std::vector<ConfigKey> CheckKeys() {
  return {{"check.tries", ConfigType::kInteger, 3, "checks",
           "How many checks are tried for a task and a backend until one accepts the right answers "
           "and catches four of five mutants; 0 writes none.",
           kNotNegative}};
}

Result<CheckOptions> CheckOptions::Of(const Config& config) {
  return CheckOptions{.seed = config.Integer("seed"), .tries = config.Integer("check.tries")};
}

Json CheckStep::Parameters() const {
  return Json::Object{{"seed", options_.seed}, {"check.tries", options_.tries}};
}

Result<std::unique_ptr<Lane>> CheckStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<CheckLane>(store_use_));
}

Result<Outcome> CheckStep::Process(const Input& input, Lane& lane) {
  CheckTrials& trials = static_cast<CheckLane&>(lane).trials;
  KM_ASSIGN(const std::vector<Record> records, ReadSubjectRecords(input.body));
  const auto task = std::find_if(records.begin(), records.end(), [](const Record& record) {
    return record.kind == RecordKind::kTask;
  });
  if (task == records.end()) return Outcome::Drop("not_answered");  // A mined kernel.
  KM_ASSIGN(const KnownTask known, KnownTask::Of(*task, records));
  std::vector<Output> outputs;
  std::map<std::string, std::int64_t> counters;
  bool tried = false;
  for (const std::string& backend : KernelBackendNames()) {
    if (WrongMutants(known, backend).size() < kFewestCaught) continue;
    tried = true;
    for (std::int64_t attempt = 0; attempt < options_.tries; ++attempt) {
      Check check = WriteCheckOf(known, backend, options_.seed, attempt);
      KM_ASSIGN(const CheckFate fate, trials.Try(known, &check));
      ++counters[std::string(NameOf(fate))];
      if (fate != CheckFate::kHolds) continue;
      Record record;
      record.kind = RecordKind::kCheck;
      record.payload = check.ToJson();
      record.origins = task->origins;
      record.licences = task->licences;
      record.lineage.push_back({.step = std::string(Name()),
                                .version = Version(),
                                .parameters = DigestOf(Parameters().Dump()),
                                .inputs = {known.id, known.annotation}});
      for (const auto* ids : {&check.passed, &check.caught, &check.missed}) {
        for (const std::string& id : *ids) {
          KM_ASSIGN(const Digest digest, Digest::FromHex(id));
          record.lineage.back().inputs.push_back(digest);
        }
      }
      outputs.push_back({std::string(record.ContentId().AsKey()), record.Encode()});
      break;
    }
  }
  Outcome outcome = !outputs.empty() ? Outcome::Keep(std::move(outputs))
                    : tried          ? Outcome::Drop("no_check_holds")
                                     : Outcome::Drop("too_few_mutants");
  outcome.origins = task->origins;
  outcome.counters.assign(counters.begin(), counters.end());
  return outcome;
}

}  // namespace kernelmill
