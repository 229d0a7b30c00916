#include "stages/admit/admit_step.h"

#include <optional>

#include "manifests/json_fields.h"
#include "stages/admit/module_signature.h"
#include "stages/admit/repair_search.h"

namespace kernelmill {
namespace {

struct AdmitLane : Lane {
  explicit AdmitLane(TorchWorker started) : worker(std::move(started)) {}
  TorchWorker worker;
};

// How far an attempt came: Assessment::progress, then operators.
std::pair<int, std::int64_t> Reached(const Admission::Attempt& attempt) {
  return {attempt.assessment.progress,
          attempt.reply.fault ? attempt.reply.fault->operators_run : 0};
}

std::vector<std::string> Names(const std::vector<Evidence>& evidence) {
  std::vector<std::string> names;
  for (Evidence item : evidence) names.emplace_back(EvidenceName(item));
  return names;
}

// The evidence for each argument. The arrays are flat: the sizes of all inputs, one after the
// other.
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

// The inputs that a run observed, for a task whose record does not list them.
std::vector<InputSpec> InputsOf(const Admission::Attempt& attempt) {
  const ModuleSignature signature = ReadModuleSignature(attempt.task.code);
  std::vector<InputSpec> inputs;
  for (const GivenTensor& tensor : attempt.reply.inputs) {
    const auto argument = static_cast<std::size_t>(tensor.argument);
    InputSpec& input = inputs.emplace_back();
    input.name = argument < signature.forward.size() ? signature.forward[argument].name
                                                     : "input" + std::to_string(argument);
    input.dtype = tensor.dtype;
    input.shape = tensor.shape;
    input.draw = "own";
  }
  return inputs;
}

Output OutputOf(const Record& record) {
  return {std::string(record.ContentId().AsKey()), record.Encode()};
}

Outcome Refuse(const Assessment& assessment, const std::string& code,
               const std::vector<Origin>& origins) {
  Outcome outcome = Outcome::Reject(assessment.reason, assessment.detail, code);
  outcome.origins = origins;
  return outcome;
}

void Count(const TaskOverlap& overlap, Outcome* outcome) {
  for (const std::string& counter : overlap.counters) outcome->counters.emplace_back(counter, 1);
}

}  // namespace

Json AdmitStep::Parameters() const {
  return Json::Object{{"seed", options_.seed},
                      {"limits", options_.limits.ToJson()},
                      {"repairs", options_.repairs},
                      {"symbolic_operators", options_.symbolic_operators},
                      {"benchmarks", options_.benchmarks.Parameters()}};
}

Result<std::string> AdmitStep::Surroundings() const {
  const Derivation& mined = options_.mined;
  return mined.step + " " + std::to_string(mined.version) + " " + mined.parameters.Hex();
}

Result<std::unique_ptr<Lane>> AdmitStep::OpenLane() {
  KM_ASSIGN(TorchWorker worker, TorchWorker::Start());
  return std::unique_ptr<Lane>(new AdmitLane(std::move(worker)));
}

Derivation AdmitStep::Admitted() const {
  Derivation admitted;
  admitted.step = Name();
  admitted.version = Version();
  admitted.parameters = DigestOf(Parameters().Dump());
  return admitted;
}

Result<Outcome> AdmitStep::KeepUnlessBenchmark(Record task, const Annotation& facts,
                                               Admission& admission) const {
  TaskOverlap overlap;
  if (!options_.benchmarks.tables.empty()) {
    KM_ASSIGN(const TaskFingerprint fingerprints, FingerprintsOf(task, &admission.worker()));
    overlap = Compare(fingerprints, options_.benchmarks);
    const bool refused = options_.benchmarks.Refuses(overlap.closest.tier);
    if (refused && options_.benchmarks.marks) {
      task.attributes[kProtectedAttribute] = overlap.closest.problem;
    } else if (refused) {
      Outcome outcome = Refuse({"benchmark", overlap.Text(), 0},
                               task.payload.Find("code")->as_string(), task.origins);
      Count(overlap, &outcome);
      return outcome;
    }
    task.attributes[kOverlapAttribute] = overlap.tier;
    // Groups tasks that differ only in sizes, unless the generator has already grouped them.
    if (!fingerprints.graphs.empty() && !task.attributes.contains(kPatternAttribute)) {
      task.attributes[kPatternAttribute] = fingerprints.graphs.front().pattern;
    }
  }
  Record annotation;
  annotation.kind = RecordKind::kAnnotation;
  annotation.payload = facts.ToJson();
  annotation.origins = task.origins;
  annotation.licences = task.licences;
  annotation.lineage = {Admitted()};
  annotation.lineage[0].inputs = {task.ContentId()};
  Outcome outcome = Outcome::Keep({OutputOf(task), OutputOf(annotation)});
  Count(overlap, &outcome);
  return outcome;
}

Result<Outcome> AdmitStep::Process(const Input& input, Lane& lane) {
  Admission admission(options_, static_cast<AdmitLane&>(lane).worker);
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  if (json.Find("kind") != nullptr) {
    KM_ASSIGN(Record task, Record::Decode(input.body));
    return AdmitTask(std::move(task), admission);
  }
  KM_ASSIGN(const MinedModule module, MinedModule::FromJson(json));
  return AdmitMinedModule(module, admission);
}

Result<Outcome> AdmitStep::AdmitMinedModule(const MinedModule& module, Admission& admission) {
  std::optional<Admission::Attempt> best;
  RepairSearch search(module, options_.repairs);
  while (const std::optional<ArgumentSet> arguments = search.Next()) {
    const bool patient = !search.repairing();
    KM_ASSIGN(Admission::Attempt attempt, admission.Try(module.ToTask(*arguments), patient));
    if (attempt.assessment.admitted()) {
      Assessment rejected;
      KM_ASSIGN(const Annotation facts, admission.Annotate(attempt, &rejected));
      if (!rejected.admitted()) return Refuse(rejected, module.code, module.origins);
      Record task = TaskRecord(attempt.task);
      task.attributes = EvidenceAttributes(*arguments);
      task.attributes["name"] = module.name;
      task.origins = module.origins;
      task.licences = module.licences;
      task.lineage = {options_.mined, Admitted()};
      return KeepUnlessBenchmark(std::move(task), facts, admission);
    }
    search.Failed(*arguments, attempt.reply, attempt.assessment.progress);
    const bool hopeless = !patient && StoppedByLimit(attempt.reply);
    if (!best || Reached(attempt) > Reached(*best)) best = std::move(attempt);
    if (hopeless) break;
  }
  const Assessment none{"unknown_arguments", "no arguments to try"};
  return Refuse(best ? best->assessment : none, module.code, module.origins);
}

Result<Outcome> AdmitStep::AdmitTask(Record record, Admission& admission) {
  KM_ASSIGN(const Task task, Task::FromJson(record.payload));
  Task run = task;
  const auto small_text = record.attributes.find(kSmallTextAttribute);
  const bool has_small_text = small_text != record.attributes.end();
  if (has_small_text) run.code = small_text->second.as_string();
  KM_ASSIGN(Admission::Attempt attempt, admission.Try(std::move(run), /*patient=*/true));
  Assessment assessment = attempt.assessment;
  if (assessment.admitted() && !has_small_text && task.inputs.empty()) {
    attempt.task.inputs = InputsOf(attempt);
    record.payload = attempt.task.ToJson();
  }
  Annotation facts;
  if (assessment.admitted()) {
    KM_ASSIGN(facts, has_small_text ? admission.AnnotateAtSizes(task, attempt, &assessment)
                                    : admission.Annotate(attempt, &assessment));
  }
  if (!assessment.admitted()) return Refuse(assessment, task.code, record.origins);
  record.lineage.push_back(Admitted());
  return KeepUnlessBenchmark(std::move(record), facts, admission);
}

}  // namespace kernelmill
