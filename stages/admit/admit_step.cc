#include "stages/admit/admit_step.h"

#include <optional>

#include "corpora/annotation.h"
#include "manifests/json_fields.h"
#include "stages/admit/assessment.h"
#include "stages/admit/repair_search.h"
#include "stages/admit/symbolic_reply.h"

namespace kernelmill {
namespace {

struct AdmitLane : Lane {
  explicit AdmitLane(TorchWorker started) : worker(std::move(started)) {}
  TorchWorker worker;
};

// One way to call the module, tried.
struct Attempt {
  ArgumentSet arguments;
  Task task;
  Assessment assessment;
  WorkerReply reply;
};

// How far an attempt came.
std::pair<int, std::int64_t> Reached(const Attempt& attempt) {
  return {attempt.assessment.progress, attempt.reply.fault ? attempt.reply.fault->steps : 0};
}

std::vector<std::string> Names(const std::vector<Evidence>& evidence) {
  std::vector<std::string> names;
  for (Evidence item : evidence) names.emplace_back(EvidenceName(item));
  return names;
}

// Which argument rests on what. Flat arrays: sizes of all inputs one after the other.
Json::Object EvidenceAttributes(const ArgumentSet& arguments) {
  std::vector<Evidence> init, ranks, sizes;
  for (const InitArgument& argument : arguments.init) init.push_back(argument.evidence);
  for (const InputGuess& input : arguments.inputs) {
    ranks.push_back(input.rank);
    sizes.insert(sizes.end(), input.sizes.begin(), input.sizes.end());
  }
  return {{"init_evidence", ToJson(Names(init))},
          {"rank_evidence", ToJson(Names(ranks))},
          {"size_evidence", ToJson(Names(sizes))}};
}

Record TaskRecord(const Task& task) {
  Record record;
  record.kind = RecordKind::kTask;
  record.payload = task.ToJson();
  return record;
}

Result<Annotation> AnnotationOf(const Json& reported, const Digest& task) {
  Json json = reported;
  json["v"] = 1;  // Without shapes in symbols, which come from another request.
  json["task"] = task.Hex();
  Result<Annotation> annotation = Annotation::FromJson(json);
  if (annotation.ok()) return annotation;
  return Status(ErrorCode::kWorker, annotation.status().message()).Within("the torch worker");
}

Output OutputOf(const Record& record) {
  return {std::string(record.ContentId().AsKey()), record.Encode()};
}

Json RequestOf(std::string_view kind, const Task& task, const AdmitOptions& options,
               const WorkerLimits& limits) {
  const Digest content = TaskRecord(task).ContentId();
  return Json::Object{{"kind", kind},
                      {"code", task.code},
                      {"seed", (options.seed ^ content.Prefix64()) & 0x7fffffff},
                      {"limits", limits.ToJson()}};
}

// `patient`: a task that is stopped by a limit is tried again, alone, with a higher one.
Result<Attempt> Try(const ModuleCandidate& candidate, const ArgumentSet& arguments,
                    const AdmitOptions& options, bool patient, TorchWorker& worker) {
  Attempt attempt;
  attempt.arguments = arguments;
  attempt.task = candidate.ToTask(arguments);
  KM_ASSIGN(Json json, worker.Call(RequestOf("admit", attempt.task, options, options.limits)));
  KM_ASSIGN(attempt.reply, WorkerReply::FromJson(json));
  if (patient && StoppedByLimit(attempt.reply)) {
    KM_ASSIGN(json,
              worker.Call(RequestOf("admit", attempt.task, options, options.limits.Raised())));
    KM_ASSIGN(attempt.reply, WorkerReply::FromJson(json));
  }
  attempt.assessment = Assess(attempt.reply);
  return attempt;
}

// The annotation's shapes in symbols. A reason to reject the task goes to `rejected`.
Status FollowSymbols(const Attempt& attempt, const AdmitOptions& options, TorchWorker& worker,
                     Annotation* facts, Assessment* rejected) {
  const auto operators = static_cast<std::int64_t>(facts->operators.size());
  if (facts->truncated || operators > options.symbolic_operators) return Status::Ok();
  WorkerLimits limits = options.limits;
  limits.wall_ms = limits.Raised().wall_ms;  // Processor time decides, on a busy machine too.
  KM_ASSIGN(const Json reply, worker.Call(RequestOf("symbolic", attempt.task, options, limits)));
  if (reply.Find("end")->as_string() == "tampered") {
    *rejected = {"tampered", "while its shapes were followed in symbols", 4};
    return Status::Ok();
  }
  KM_ASSIGN(SymbolicVerdict verdict, JudgeSymbolicReply(reply, attempt.task, *facts));
  facts->symbolic = std::move(verdict.shapes);
  if (!verdict.disagreement.empty()) {
    *rejected = {"shape_disagreement", std::move(verdict.disagreement), 4};
  }
  return Status::Ok();
}

Result<Outcome> Keep(const ModuleCandidate& candidate, const Attempt& attempt,
                     const AdmitOptions& options, Derivation admitted, TorchWorker& worker) {
  Record task = TaskRecord(attempt.task);
  task.attributes = EvidenceAttributes(attempt.arguments);
  task.attributes["name"] = candidate.name;
  task.origins = candidate.origins;
  task.licences = candidate.licences;
  task.lineage = {options.mined, admitted};

  KM_ASSIGN(Annotation facts, AnnotationOf(attempt.reply.annotation, task.ContentId()));
  Assessment rejected;
  KM_RETURN_IF_ERROR(FollowSymbols(attempt, options, worker, &facts, &rejected));
  if (!rejected.admitted()) {
    return Outcome::Reject(rejected.reason, rejected.detail, candidate.code);
  }
  Record annotation;
  annotation.kind = RecordKind::kAnnotation;
  annotation.payload = facts.ToJson();
  annotation.origins = candidate.origins;
  annotation.licences = candidate.licences;
  admitted.inputs = {task.ContentId()};
  annotation.lineage = {std::move(admitted)};
  return Outcome::Keep({OutputOf(task), OutputOf(annotation)});
}

}  // namespace

Json AdmitStep::Parameters() const {
  return Json::Object{
      {"seed", options_.seed}, {"limits", options_.limits.ToJson()}, {"repairs", options_.repairs}};
}

Result<std::unique_ptr<Lane>> AdmitStep::OpenLane() {
  KM_ASSIGN(TorchWorker worker, TorchWorker::Start());
  return std::unique_ptr<Lane>(new AdmitLane(std::move(worker)));
}

Result<Outcome> AdmitStep::Process(const Input& input, Lane& lane) {
  TorchWorker& worker = static_cast<AdmitLane&>(lane).worker;
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  KM_ASSIGN(const ModuleCandidate candidate, ModuleCandidate::FromJson(json));

  Derivation admitted;
  admitted.step = Name();
  admitted.version = Version();
  admitted.parameters = DigestOf(Parameters().Dump());

  std::optional<Attempt> best;
  RepairSearch search(candidate, options_.repairs);
  while (const std::optional<ArgumentSet> arguments = search.Next()) {
    const bool patient = !search.repairing();
    KM_ASSIGN(Attempt attempt, Try(candidate, *arguments, options_, patient, worker));
    if (attempt.assessment.admitted()) {
      return Keep(candidate, attempt, options_, std::move(admitted), worker);
    }
    search.Failed(*arguments, attempt.reply, attempt.assessment.progress);
    const bool hopeless = !patient && StoppedByLimit(attempt.reply);
    if (!best || Reached(attempt) > Reached(*best)) best = std::move(attempt);
    if (hopeless) break;
  }
  Outcome outcome =
      best ? Outcome::Reject(best->assessment.reason, best->assessment.detail, candidate.code)
           : Outcome::Reject("unknown_arguments", "no arguments to try", candidate.code);
  outcome.origins = candidate.origins;
  return outcome;
}

}  // namespace kernelmill
