#include "stages/verify/gates/examination.h"

#include <algorithm>
#include <utility>

#include "corpora/operators/aten_names.h"
#include "generators/wording/number_format.h"
#include "manifests/digest.h"
#include "stages/verify/build/occupancy.h"
#include "stages/verify/reference/encoded_inputs.h"

namespace kernelmill {
namespace {

// An answer may build extensions in several places; each is found only after the previous one is
// built.
constexpr int kMaxBuildRounds = 6;
// Of all runs of a candidate. Answers that write sizes into their sources ask for other extensions
// at each set of sizes.
constexpr std::size_t kMaxExtensions = 32;
constexpr std::int64_t kStepBudget = 2'000'000'000;
// JudgeOptions::limits apply to this many trials per process.
constexpr std::size_t kTrialsInLimits = 3;

std::uint64_t SeedFor(const JudgeOptions& options, const std::string& reference) {
  if (options.secret.empty()) return options.seed;
  return Sha256()
             .Field("inputs of a task")
             .Field(options.secret)
             .Field(std::to_string(options.seed))
             .Field(reference)
             .Finish()
             .Prefix64() >>
         1;  // JSON has signed integers.
}

// What the record of a run says of an operator, or of what operators have done together.
std::string TextOfOperator(const std::string& name) {
  const std::string_view last = AtenName(name);
  if (last == kAtenMadeResult) {
    return "an operator of torch has made the result of the inputs, and no kernel changes it";
  }
  if (last == kAtenCastOfRounded) {
    return "an operator of torch converts what a conversion of torch has rounded, so that torch "
           "rounds the values";
  }
  if (last == kAtenCastOfView) {
    return "an operator of torch converts memory that is seen as numbers of another type, so that "
           "torch computes with their bits";
  }
  if (last == kAtenEnlargingCopy) {
    return "an operator of torch writes more elements than there are in what it reads, so that "
           "torch repeats them, which is the task";
  }
  if (last == kAtenDeviceCopy) {
    return "CUDA's runtime copies from the device to the device, which is the task";
  }
  if (last == kAtenTable) {
    return "torch computes with all values of a 16-bit type before the first call, so that a "
           "kernel "
           "only has to look results up";
  }
  return "the operator " + name + " ran";
}

}  // namespace

Examination::Examination(const JudgeOptions& options, JudgeWorkers* workers,
                         const std::string& reference, const std::optional<std::string>& answer)
    : options_(options),
      seed_(SeedFor(options, reference)),
      workers_(workers),
      reference_text_(reference),
      answer_(answer),
      libraries_(options) {
  verdict_ = Unjudged();
}

Verdict Examination::Unjudged() const {
  Verdict verdict;
  verdict.policy = options_.policy->name;
  verdict.backend = options_.backend->name;
  verdict.target = options_.device_target().name;
  verdict.verified_on = "cpu_executor";
  verdict.contract = options_.contract;
  return verdict;
}

Result<bool> Examination::UseBase(BaseSet set) {
  KM_ASSIGN(const bool there, reference_runs->UseBase(set));
  if (!there) return false;
  verdict_.full_size = VerdictFullSize();
  if (reference_runs->runs_at_task_sizes()) verdict_.full_size.state = "same";
  verdict_.sizes = reference_runs->base_sizes();
  return true;
}

CandidateRequest Examination::Request() const {
  CandidateRequest request;
  request.code = code;
  request.backend = options_.backend;
  request.target = &options_.device_target();
  request.training = options_.training;
  if (reference_runs != nullptr && !reference_runs->fault()) {
    request.module_buffers = reference_runs->base().module_buffers;
    request.tables = !reference_runs->base().has_tensors;
  }
  request.limits = options_.limits;
  request.python_folder = options_.python_folder;
  request.executor_options = Json::Object{{"seed", static_cast<std::int64_t>(seed())},
                                          {"fresh", trials_run_},
                                          {"residency", Residency()},
                                          {"step_budget", kStepBudget},
                                          {"warp_width", request.target->warp_width}};
  request.libraries = libraries_.libraries();
  return request;
}

// Another one in each run but the first, whose launches the verdict has.
std::int64_t Examination::Residency() const {
  constexpr std::uint64_t kSome = 1'000'003;
  return trials_run_ == 0 ? 0 : static_cast<std::int64_t>(seed() % kSome) + trials_run_;
}

Result<std::optional<CandidateRequest>> Examination::RequestWith(
    const InstrumentedBuild& build) const {
  CandidateRequest request = Request();
  request.python_folder = build.python_folder;
  request.limits.memory_bytes *= 4;
  request.limits.cpu_ms *= 4;
  KM_ASSIGN(auto libraries, libraries_.BuildWith(build));
  if (!libraries) return std::optional<CandidateRequest>();
  request.libraries = *std::move(libraries);
  return std::optional(std::move(request));
}

Result<CandidateRun> Examination::Run(TorchWorker* worker, CandidateRequest request,
                                      std::vector<AskedTrial> trials,
                                      const ReferenceRun& against) const {
  request.trials = std::move(trials);
  // The limits of one trial do not depend on the number of trials.
  const auto tenths = static_cast<std::int64_t>(
      std::max<std::size_t>(10, 10 * request.trials.size() / kTrialsInLimits));
  request.limits.cpu_ms = request.limits.cpu_ms * tenths / 10;
  request.limits.idle_ms = request.limits.idle_ms * tenths / 10;
  const bool own_layout =
      std::all_of(request.trials.begin(), request.trials.end(),
                  [](const AskedTrial& trial) { return trial.layout == "own"; });
  const ReferenceOperators of_reference = OperatorsOfReference(own_layout);
  request.operators = AllowedOperators(policy().operators, of_reference);
  for (const std::string& name : reference_runs->base().work) {
    if (policy().operators == OperatorRule::kStrict && !IsDataMovement(name)) {
      request.work.push_back(name);
    }
  }
  if (policy().operators == OperatorRule::kStrict) {
    request.work.push_back("aten::" + std::string(kAtenTable));
  }
  // A candidate that is made for the task's own sizes may write beside smaller tensors. What it
  // changes there would seem to be an error at the sizes that its contract asks for.
  // Where inputs have no values, memory costs nothing, and what a block writes beside it shows.
  if (request.unfilled || (!options_.contract.any_shape && !against.sizes.empty())) {
    request.executor_options["spread_memory"] = true;
  }
  KM_ASSIGN(CandidateRun run, RunCandidate(worker, request, against));
  if (!run.refused.empty()) run.fault = FaultOf(run.refused.front(), of_reference);
  if (!run.fault) run.fault = libraries_.RefusedLaunch(run.trials);
  return run;
}

ReferenceOperators Examination::OperatorsOfReference(bool own_layout) const {
  // Copying from a layout that the task's own inputs do not have is not part of the task.
  return {reference_runs->base().operators, own_layout && reference_runs->moves_data()};
}

CandidateFault Examination::FaultOf(const DispatchedOperator& refused,
                                    const ReferenceOperators& of_reference) const {
  const bool computes = RuleOnOperator(policy().operators, refused.name, refused.line > 0,
                                       of_reference) == OperatorRuling::kComputes;
  CandidateFault fault;
  fault.status = VerdictStatus::kIllegal;
  fault.reason = computes ? "torch_compute" : "task_operator";
  fault.gate = GateId::kLegality;
  fault.detail = AtenName(refused.name) == kAtenTable
                     ? TextOfOperator(refused.name)
                     : "the operator " + refused.name + " was called";
  fault.finding = {fault.reason, refused.line > 0 ? kCandidateFile : "", refused.line,
                   fault.detail};
  return fault;
}

Result<CandidateRun> Examination::RunAndBuild(CandidateRequest request,
                                              std::vector<AskedTrial> trials,
                                              const ReferenceRun& against,
                                              const InstrumentedBuild* instrumented) {
  using Environment = std::vector<std::pair<std::string, std::string>>;
  KM_ASSIGN(TorchWorker* const worker,
            CandidateWorker(instrumented == nullptr ? Environment() : instrumented->environment));
  for (int round = 0;; ++round) {
    KM_ASSIGN(CandidateRun run, Run(worker, request, trials, against));
    if (run.wanted.empty()) {
      trials_run_ += static_cast<std::int64_t>(trials.size());
      return run;
    }
    if (round == kMaxBuildRounds ||
        libraries_.libraries().size() + run.wanted.size() > kMaxExtensions) {
      run.fault = CandidateFault{VerdictStatus::kNotBuilt, "compile_limit", GateId::kCompile,
                                 "it asks for extension after extension"};
    }
    for (const auto& [hash, sources] : run.wanted) {
      if (run.fault) break;
      KM_ASSIGN(run.fault, libraries_.Build(hash, sources, code));
      verdict_.device = libraries_.device();
    }
    if (run.fault) return run;
    request.libraries = libraries_.libraries();
    if (instrumented == nullptr) continue;
    KM_ASSIGN(auto libraries, libraries_.BuildWith(*instrumented));
    if (!libraries) {
      run.fault = CandidateFault{VerdictStatus::kUndecided, std::string(kNotSanitized),
                                 GateId::kSanitize, "its kernels do not compile with checks"};
      return run;
    }
    request.libraries = *std::move(libraries);
  }
}

Result<TorchWorker*> Examination::CandidateWorker(
    const std::vector<std::pair<std::string, std::string>>& environment) {
  return workers_->ForCandidates({.environment = environment, .folders = options_.folders});
}

std::int64_t Examination::MostHostBytes() const {
  constexpr std::int64_t kElements = 4, kNumber = 8;
  const ReferenceRun& base = reference_runs->base();
  std::int64_t elements = 0;
  // At smaller sizes than the task's own, the inputs do not tell how large they are there.
  if (!reference_runs->runs_at_task_sizes()) return policy().host_bytes;
  if (!base.trials.empty()) elements = CountElements(base.trials.front().inputs);
  return std::min(policy().host_bytes, std::max(kNumber, elements / kElements));
}

GateResult Examination::JudgeOperators(const CandidateTrial& trial) {
  if (policy().operators == OperatorRule::kAny) return GateResult::kPassed;
  if (!trial.operators_whole) {
    return EndIllegal("observer_disabled", "the record of operators was ended from inside");
  }
  std::string reason;
  const ReferenceOperators of_reference = OperatorsOfReference(trial.asked.layout == "own");
  for (const DispatchedOperator& item : trial.operators) {
    const OperatorRuling said =
        RuleOnOperator(policy().operators, item.name, item.line > 0, of_reference);
    if (said == OperatorRuling::kAllowed) continue;
    if (reason.empty()) {
      reason = said == OperatorRuling::kComputes ? "torch_compute" : "task_operator";
    }
    verdict_.findings.push_back({reason, item.line > 0 ? kCandidateFile : "", item.line,
                                 TextOfOperator(item.name)});
  }
  if (!reason.empty()) return EndIllegal(reason, verdict_.findings.back().detail);
  if (trial.host_bytes > MostHostBytes()) {
    return EndIllegal("data_on_host", "forward() moved " + Grouped(trial.host_bytes) +
                                          " bytes of device memory to the host, where " +
                                          std::to_string(MostHostBytes()) +
                                          " are allowed; compute in a kernel");
  }
  return GateResult::kPassed;
}

GateResult Examination::JudgeFindings(const std::vector<VerdictFinding>& findings) {
  using enum VerdictStatus;
  for (const VerdictFinding& finding : findings) {
    for (VerdictStatus status : {kOutOfBounds, kUndefinedBehaviour, kRace, kIllegalAddress}) {
      if (ExplainVerdictReason(status, finding.reason).empty()) continue;
      verdict_.findings.insert(verdict_.findings.end(), findings.begin(), findings.end());
      return End(status, finding.reason, finding.detail);
    }
  }
  return GateResult::kPassed;
}

void Examination::TakeLaunches(const CandidateRun& run) {
  verdict_.launches = run.trials.front().launches;
  reads_results_ = run.trials.front().host_bytes > 0;
  SetOccupancy(verdict_.device, &verdict_.launches);
}

void Examination::Accept() {
  verdict_.gate = kPassedGate;
  verdict_.status = VerdictStatus::kCorrect;
}

GateResult Examination::End(VerdictStatus status, std::string_view reason, std::string detail) {
  verdict_.status = status;
  verdict_.reason = reason;
  verdict_.detail = std::move(detail);
  return GateResult::kEnded;
}

GateResult Examination::EndIllegal(const std::string& reason, const std::string& detail) {
  verdict_.gate = ReportedName(GateId::kLegality);
  return End(VerdictStatus::kIllegal, reason, detail);
}

GateResult Examination::EndWith(const CandidateFault& fault) {
  if (const auto unbuilt = libraries_.failure(); unbuilt && fault.gate == GateId::kLoad) {
    return EndWith(*unbuilt);
  }
  verdict_.gate = ReportedName(fault.gate);
  if (fault.finding) verdict_.findings.push_back(*fault.finding);
  return End(fault.status, fault.reason, fault.detail);
}

std::string AsDevice(const std::string& detail) {
  constexpr char kWhere[] =
      "in a second call with the same inputs, in which kernels see what they see on a device (new "
      "memory holds numbers that earlier work has left, all threads of a block do an atomic "
      "operation before one does the next, and local variables have one address in all threads)";
  return detail.empty() ? kWhere : kWhere + (": " + detail);
}

WorkerLimits LimitsOfAll(WorkerLimits limits, std::size_t trials) {
  const auto usual = static_cast<std::int64_t>(kTrialsInLimits);
  const auto all = std::max(static_cast<std::int64_t>(trials), usual);
  limits.cpu_ms = limits.cpu_ms * usual / all;
  limits.idle_ms = limits.idle_ms * usual / all;
  return limits;
}

std::vector<AskedTrial> TrialsWhere(const ReferenceRun& reference, bool own_values) {
  std::vector<AskedTrial> asked;
  for (std::size_t i = 0; i < reference.trials.size(); ++i) {
    if ((reference.trials[i].values == "own") == own_values) asked.push_back({i, "own"});
  }
  return asked;
}

}  // namespace kernelmill
