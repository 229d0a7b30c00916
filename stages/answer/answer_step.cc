#include "stages/answer/answer_step.h"

#include <algorithm>
#include <map>
#include <optional>

#include "corpora/kernel_backend.h"
#include "corpora/records/candidate.h"
#include "corpora/records/task.h"
#include "manifests/json_fields.h"
#include "stages/answer/task_answers.h"

namespace kernelmill {
namespace {

struct AnswerLane : Lane {
  explicit AnswerLane(StoreUse store_use) : judges(store_use) {}
  JudgePool judges;
};

DesignedKernel DesignOf(const CallPlan& plan, const OperatorGraph& graph) {
  DesignedKernel design;
  design.function = plan.function;
  design.strategy = plan.strategy;
  for (const int node : plan.nodes) design.operators.emplace_back(graph.nodes()[node].op->name);
  if (plan.head >= 0) design.head = graph.nodes()[plan.head].op->name;
  design.kernels = plan.kernels;
  design.mapping = plan.mapping;
  design.index_type = plan.index_type;
  design.threads = plan.threads;
  design.grid = plan.grid;
  design.shared_bytes = plan.shared_bytes;
  design.flops = static_cast<std::int64_t>(plan.cost.flops);
  design.bytes = static_cast<std::int64_t>(plan.cost.bytes);
  for (const KernelReason& reason : plan.reasons) {
    design.reasons.push_back({reason.choice, reason.why});
  }
  return design;
}

}  // namespace

std::vector<ConfigKey> AnswerKeys() {
  return {
      {"answer.variants",
       ConfigType::kInteger,
       2,
       "",
       "How many answers of different structure are written for each task and backend; 0 writes "
       "none.",
       kNotNegative,
       {},
       {"answer.ways"}},
      {"answer.backends", ConfigType::kStrings, Json(Json::Array{"cuda", "musa"}), "",
       "The backends that answers are written for: " + KernelBackendList() + "."},
      {"answer.sanitize", ConfigType::kBool, true, "",
       "Whether each right answer must also pass a run with every access checked for bounds and "
       "one "
       "checked for races. Needs three builds instead of one."},
      {"answer.profile",
       ConfigType::kBool,
       true,
       "",
       "Whether each right answer runs once more to count what a profiler of a GPU would show: "
       "memory sectors, bank conflicts, atomics. Needs one more build. Without it the dataset has "
       "no "
       "rows of the family optimize.",
       {},
       {},
       {"answer.count"}},
      {"answer.limit", ConfigType::kInteger, 0, "tasks",
       "Answers are written for at most this many tasks: generated ones before others, chosen by a "
       "seeded hash of their content. 0 means all.",
       kNotNegative},
  };
}

Result<AnswerStep> AnswerStep::Of(const Config& config, StoreUse store_use) {
  AnswerStep step;
  step.store_use_ = store_use;
  step.seed_ = config.Integer("seed");
  step.limit_ = config.Integer("answer.limit");
  step.variants_ = static_cast<int>(config.Integer("answer.variants"));
  step.backends_ = config.Strings("answer.backends");
  step.judging_.memory = step.judging_.races = config.Bool("answer.sanitize");
  step.judging_.count = config.Bool("answer.profile");
  for (const std::string& name : step.backends_) {
    const Result<const KernelBackend*> backend = KernelBackendNamed(name);
    if (!backend.ok()) return backend.status().Within("answer.backends");
  }
  return step;
}

Json AnswerStep::Parameters() const {
  return Json::Object{{"seed", seed_},
                      {"answer.limit", limit_},
                      {"answer.variants", variants_},
                      {"answer.backends", kernelmill::ToJson(backends_)},
                      {"answer.sanitize", judging_.memory},
                      {"answer.profile", judging_.count}};
}

Run::Propose AnswerStep::Inputs(const Run& run, std::string input_step,
                                const OriginFilter& wanted) const {
  return [this, &run, input_step = std::move(input_step), wanted](const Run::Emit& emit) -> Status {
    if (variants_ == 0) return Status::Ok();
    // Generated tasks come first, because they were made to be answered.
    const auto order = [&](const Record& task) {
      const bool generated = task.generated();
      return std::pair(!generated, Sha256()
                                       .Field(std::to_string(seed_))
                                       .Field("answer")
                                       .Field(task.ContentId().AsKey())
                                       .Finish());
    };
    const auto each = [&](const auto& use) -> Status {
      return run.ForEachOutput(input_step, [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Record record, Record::Decode(body));
        if (record.kind != RecordKind::kTask) return Status::Ok();
        if (wanted && !wanted(record.origins)) return Status::Ok();
        return use(record, body);
      });
    };
    std::vector<std::pair<bool, Digest>> ranked;
    KM_RETURN_IF_ERROR(each([&](const Record& task, std::string_view) {
      ranked.push_back(order(task));
      return Status::Ok();
    }));
    std::sort(ranked.begin(), ranked.end());
    return each([&](const Record& task, std::string_view body) {
      const auto rank =
          std::lower_bound(ranked.begin(), ranked.end(), order(task)) - ranked.begin();
      const Json input =
          Json::Object{{"record", body}, {"wanted", wanted || limit_ == 0 || rank < limit_}};
      return emit(std::string(task.ContentId().AsKey()), input.Dump());
    });
  };
}

Result<std::unique_ptr<Lane>> AnswerStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<AnswerLane>(store_use_));
}

Record AnswerStep::RecordOf(const Record& task, const LoweredAnswer& answer,
                            const OperatorGraph& graph, std::string_view backend,
                            const Verdict& verdict) const {
  Candidate candidate;
  candidate.task = task.ContentId();
  candidate.backend = backend;
  candidate.code = answer.text;
  candidate.author = "lowering";
  candidate.structure = answer.Structure();
  candidate.estimated_speed = answer.speed.calibrated;
  for (const CallPlan& plan : answer.calls) candidate.kernels.push_back(DesignOf(plan, graph));
  candidate.verdict = verdict.Reproducible();
  candidate.memory_checked = candidate.races_checked = judging_.memory;
  Record kept;
  kept.kind = RecordKind::kCandidate;
  kept.payload = candidate.ToJson();
  kept.origins = task.origins;
  kept.licences = task.licences;
  kept.lineage.push_back({.step = std::string(Name()),
                          .version = Version(),
                          .parameters = DigestOf(Parameters().Dump()),
                          .inputs = {candidate.task}});
  return kept;
}

Result<Outcome> AnswerStep::Process(const Input& input, Lane& lane) {
  AnswerLane& own = static_cast<AnswerLane&>(lane);
  std::string encoded;
  bool wanted = true;
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  JsonFields fields(json, "answer input");
  fields.Read("record", &encoded);
  fields.Read("wanted", &wanted);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(const Record record, Record::Decode(encoded));
  const auto drop = [&](std::string reason, std::string detail) {
    Outcome outcome = Outcome::Drop(std::move(reason), std::move(detail));
    outcome.origins = record.origins;
    return outcome;
  };
  if (!wanted) return drop("limit", "");
  KM_ASSIGN(const Task task, Task::FromJson(record.payload));
  KM_ASSIGN(const TaskAnswers answers,
            AnswerTask(task.code, {backends_, variants_, judging_}, &own.judges));
  if (!answers.task) return drop("not_lowered", answers.obstacle);

  std::vector<Output> outputs;
  std::map<std::string, std::int64_t> counters;
  std::string in_the_way;
  Json::Array wrong_answers;  // Wrong answers.
  for (const BackendAnswers& of_backend : answers.backends) {
    const std::string& backend = of_backend.backend;
    if (of_backend.answers.empty() && in_the_way.empty()) in_the_way = of_backend.obstacle;
    for (const auto& [answer, judged] : of_backend.answers) {
      const Verdict& verdict = *judged;
      const std::string status(StatusName(verdict.status));
      ++counters[backend + '.' + status];
      if (verdict.status != VerdictStatus::kCorrect) {
        in_the_way = backend + ": " + status + ' ' + verdict.reason;
        wrong_answers.push_back(Json::Object{{"backend", backend},
                                             {"structure", answer.Structure()},
                                             {"code", answer.text},
                                             {"verdict", verdict.Reproducible().ToJson()}});
        continue;
      }
      const Record kept = RecordOf(record, answer, answers.task->graph, backend, verdict);
      outputs.push_back({std::string(kept.ContentId().AsKey()), kept.Encode()});
    }
  }
  const auto original = [&] {
    return Json(Json::Object{{"task", task.code}, {"answers", std::move(wrong_answers)}}).Dump();
  };
  Outcome outcome = !outputs.empty() ? Outcome::Keep(std::move(outputs))
                    : wrong_answers.empty()
                        ? Outcome::Drop("not_lowered", in_the_way)
                        : Outcome::Reject("no_right_answer", in_the_way, original());
  outcome.origins = record.origins;
  outcome.counters.assign(counters.begin(), counters.end());
  return outcome;
}

}  // namespace kernelmill
