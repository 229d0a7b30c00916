#include "stages/admit/admit_step.h"

#include <optional>

#include "corpora/annotation.h"
#include "manifests/json_fields.h"
#include "stages/admit/assessment.h"
#include "stages/admit/repair_search.h"

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
  json["v"] = 1;
  json["task"] = task.Hex();
  Result<Annotation> annotation = Annotation::FromJson(json);
  if (annotation.ok()) return annotation;
  return Status(ErrorCode::kWorker, annotation.status().message()).Within("the torch worker");
}

Output OutputOf(const Record& record) {
  return {std::string(record.ContentId().AsKey()), record.Encode()};
}

// `patient`: a task that is stopped by a limit is tried again, alone, with a higher one.
Result<Attempt> Try(const ModuleCandidate& candidate, const ArgumentSet& arguments,
                    const AdmitOptions& options, bool patient, TorchWorker& worker) {
  Attempt attempt;
  attempt.arguments = arguments;
  attempt.task = candidate.ToTask(arguments);
  const Digest content = TaskRecord(attempt.task).ContentId();
  Json request = Json::Object{{"kind", "admit"},
                              {"code", attempt.task.code},
                              {"seed", (options.seed ^ content.Prefix64()) & 0x7fffffff},
                              {"limits", options.limits.ToJson()}};
  KM_ASSIGN(Json json, worker.Call(request));
  KM_ASSIGN(attempt.reply, WorkerReply::FromJson(json));
  if (patient && StoppedByLimit(attempt.reply)) {
    request["limits"] = options.limits.Raised().ToJson();
    KM_ASSIGN(json, worker.Call(request));
    KM_ASSIGN(attempt.reply, WorkerReply::FromJson(json));
  }
  attempt.assessment = Assess(attempt.reply);
  return attempt;
}

Result<Outcome> Keep(const ModuleCandidate& candidate, const Attempt& attempt,
                     const Derivation& mined, Derivation admitted) {
  Record task = TaskRecord(attempt.task);
  task.attributes = EvidenceAttributes(attempt.arguments);
  task.attributes["name"] = candidate.name;
  task.origins = candidate.origins;
  task.licences = candidate.licences;
  task.lineage = {mined, admitted};

  KM_ASSIGN(const Annotation facts, AnnotationOf(attempt.reply.annotation, task.ContentId()));
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
      return Keep(candidate, attempt, options_.mined, std::move(admitted));
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
