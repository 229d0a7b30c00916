#include "stages/verify/gates.h"

#include <algorithm>
#include <utility>

#include "manifests/json_fields.h"
#include "parsers/byte_order_mark.h"
#include "stages/verify/build/occupancy.h"
#include "stages/verify/full_size_gate.h"
#include "stages/verify/numerics/trial_check.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMaxCode = 1 << 20;
constexpr char kFile[] = "candidate.py";
// An answer may build extensions in several places, each found only after the one before is built.
constexpr int kMaxBuildRounds = 6;
constexpr std::int64_t kStepBudget = 2'000'000'000;
// Blocks are counted out so that each run takes a second; a kernel that does far more than its
// reference is not worth more.
constexpr std::int64_t kFullSizeCpuMs = 10'000;
// Limits of time are for so many trials in a process.
constexpr std::size_t kTrialsInLimits = 3;
// Variants of OtherSizes(): one that feedback may name, two for grading.
constexpr int kOtherSizes[] = {0, 1, 2};

Result<VerdictFinding> FindingOf(const Json& json) {
  VerdictFinding finding;
  finding.file = kFile;
  JsonFields fields(json, "finding");
  fields.Read("reason", &finding.kind);
  fields.Read("line", &finding.line);
  fields.Read("detail", &finding.detail);
  KM_RETURN_IF_ERROR(fields.Finish());
  return finding;
}

// A call of torch is what most refused answers have; what goes beyond it says more.
const VerdictFinding& MostTelling(const std::vector<VerdictFinding>& findings) {
  for (const VerdictFinding& finding : findings) {
    if (finding.kind != "torch_compute" && finding.kind != "layer_called") return finding;
  }
  return findings.front();
}

// The sizes of a set by the names that the task gives them: "batch_size = 5, width = 61".
std::string SizesText(const Json& renamed) {
  std::string text;
  for (const auto& [name, values] : renamed.as_object()) {
    text += (text.empty() ? "" : ", ") + name + " = " + values.as_array()[1].Dump();
  }
  return text;
}

std::vector<AskedTrial> TrialsWhere(const ReferenceRun& reference, bool own_values) {
  std::vector<AskedTrial> asked;
  for (std::size_t i = 0; i < reference.trials.size(); ++i) {
    if ((reference.trials[i].values == "own") == own_values) asked.push_back({i, "own"});
  }
  return asked;
}

}  // namespace

Gates::Gates(const JudgeOptions& options, TorchWorker* judge_worker, TorchWorker* candidate_worker)
    : options_(options), text_reader_(judge_worker), worker_(candidate_worker), compiler_(options) {
  verdict_.policy = options.policy->name;
  verdict_.backend = BackendName(options.backend);
  verdict_.verified_on = "cpu_executor";
}

bool Gates::Extract(const std::optional<std::string>& code) {
  verdict_.gate = "extract";
  if (!code) return End(VerdictStatus::kNoAnswer, "no_code");
  if (code->size() > kMaxCode) return End(VerdictStatus::kNoAnswer, "too_long");
  if (!IsUtf8(*code)) return End(VerdictStatus::kNoAnswer, "syntax_error", "it is not UTF-8");
  request_.code = WithoutByteOrderMark(*code);
  return true;
}

Result<bool> Gates::Legality() {
  KM_ASSIGN(
      const Json reply,
      text_reader_->Call(Json::Object{
          {"kind", "legality"}, {"code", request_.code}, {"limits", WorkerLimits().ToJson()}}));
  const std::string& end = reply.Find("end")->as_string();
  if (end != "legality") {
    const std::string detail = reply.TextAt("detail"), text = detail.empty() ? end : detail;
    verdict_.findings.push_back({"syntax_error", kFile, reply.IntegerAt("line"), text});
    return End(VerdictStatus::kNoAnswer, "syntax_error", text);
  }
  verdict_.gate = "legality";
  if (!options_.policy->syntax) return true;
  for (const Json& item : reply.Find("findings")->as_array()) {
    KM_ASSIGN(VerdictFinding finding, FindingOf(item));
    verdict_.findings.push_back(std::move(finding));
  }
  if (verdict_.findings.empty()) return true;
  const VerdictFinding& worst = MostTelling(verdict_.findings);
  return EndIllegal(worst.kind, worst.detail);
}

bool Gates::TakeReference(ReferenceRuns* reference) {
  reference_ = reference;
  const std::optional<ReferenceFault>& fault = reference->fault();
  if (!fault) {
    if (reference->full_size()) verdict_.full_size.state = "same";
    verdict_.sizes = reference->own_sizes();
    return true;
  }
  const bool ours = fault->reason == "constructor_arguments";
  return End(ours ? VerdictStatus::kUnsupported : VerdictStatus::kReferenceFailed, fault->reason,
             fault->detail);
}

Result<bool> Gates::OwnTrials() {
  verdict_.gate = "compile";
  request_.backend = options_.backend;
  request_.training = options_.training;
  request_.limits = options_.limits;
  request_.python_folder = options_.python_folder;
  request_.executor_options = Json::Object{{"seed", static_cast<std::int64_t>(options_.seed)},
                                           {"step_budget", kStepBudget}};
  KM_ASSIGN(const CandidateRun run,
            RunBuilt(TrialsWhere(reference_->own(), true), reference_->own()));
  return JudgeOwn(run);
}

Result<bool> Gates::Decoy() {
  if (!options_.policy->kernels || IsConstant(reference_->own().trials.front())) return true;
  request_.executor_options["run_kernels"] = false;
  KM_ASSIGN(const CandidateRun run, Run({AskedTrial{}}, reference_->own()));
  request_.executor_options.as_object().erase("run_kernels");
  if (run.fault || run.trials.empty()) return true;
  if (CheckTrial(*options_.policy, reference_->own(), run.trials.front())) return true;
  return EndIllegal("decoy_kernel", "the result is the same when no kernel of it runs");
}

Result<bool> Gates::Generality() {
  if (!options_.policy->generality) return true;
  const ReferenceRun& own = reference_->own();
  // Behind one of the task's own kind: what remembers results by a value of the inputs then gives
  // that one's for constant rows, which begin with the same value.
  std::vector<AskedTrial> values = TrialsWhere(own, false);
  if (!values.empty()) values.insert(values.begin(), AskedTrial{});
  KM_ASSIGN(const bool any_values, OtherTrials(values, own, ""));
  if (!any_values) return false;
  for (int variant : kOtherSizes) {
    KM_ASSIGN(const ReferenceRun* const other, reference_->Other(variant));
    if (other == nullptr) continue;
    const std::string named = variant == 0 ? SizesText(other->renamed) : "";
    const std::string where = "at " + (named.empty() ? "sizes other than the task's own" : named);
    KM_ASSIGN(const bool right, OtherTrials(TrialsWhere(*other, true), *other, where));
    if (!right) return false;
  }
  return OtherTrials({{0, "strided"}, {0, "offset"}}, own, "");
}

Result<bool> Gates::Sanitize(const CheckedBuild& check, TorchWorker* checked_worker) {
  if (!compiler_.built_any()) return true;
  verdict_.gate = "sanitize";
  KM_ASSIGN(std::optional<CandidateRequest> request, RequestWith(check));
  if (!request) return true;
  CandidateRequest& checked = *request;
  // Other sizes too: a tail that leaves its tensor shows where sizes are odd.
  KM_ASSIGN(const ReferenceRun* const other, reference_->Other(kOtherSizes[0]));
  for (const ReferenceRun* reference : {&reference_->own(), other}) {
    if (reference == nullptr) continue;
    checked.trials = {AskedTrial{}};
    KM_ASSIGN(const CandidateRun run, RunCandidate(checked_worker, checked, *reference));
    if (run.fault) {
      // The checks themselves take time and memory: that says nothing about the candidate.
      const std::string& reason = run.fault->reason;
      if (!run.fault->finding || reason == "time_limit" || reason == "step_budget") {
        verdict_.findings.push_back(
            {std::string(kNotSanitized), "", 0, "its run with checks ended early: " + reason});
        continue;
      }
      return EndWith(*run.fault);
    }
    for (const CandidateTrial& trial : run.trials) {
      if (!JudgeFindings(trial.findings)) return false;
    }
  }
  return true;
}

Result<bool> Gates::FullSize() {
  if (reference_->full_size()) return true;
  const CandidateRequest smaller = request_;
  request_.sampled = true;
  request_.limits.cpu_ms = std::min(request_.limits.cpu_ms, kFullSizeCpuMs);
  const auto run = [&](const Json::Object& options, const ReferenceRun& reference) {
    request_.executor_options = smaller.executor_options;
    for (const auto& [name, value] : options) request_.executor_options[name] = value;
    return RunBuilt({AskedTrial{}}, reference);
  };
  KM_ASSIGN(const FullSizeOutcome found,
            CheckFullSize(options_.seed, verdict_.launches, reference_, run));
  request_ = smaller;
  verdict_.full_size = found.seen;
  const bool checked = found.seen.state == "checked";
  if (checked) verdict_.trials.push_back({"full", "own", "own", !found.fault.has_value()});
  if (!found.untouched.trials.empty() && !JudgeOperators(found.untouched.trials.front())) {
    return false;
  }
  verdict_.diagnosis = found.diagnosis;
  return !found.fault || EndWith(*found.fault);
}

Status Gates::Count(const CheckedBuild& counting, TorchWorker* worker) {
  if (!compiler_.built_any()) return Status::Ok();
  KM_ASSIGN(std::optional<CandidateRequest> request, RequestWith(counting));
  std::string why = "it does not compile with counters";
  if (request) {
    request->trials = {AskedTrial{}};
    KM_ASSIGN(const CandidateRun run, RunCandidate(worker, *request, reference_->own()));
    if (!run.fault && !run.trials.empty()) {
      TakeLaunches(run);
      return Status::Ok();
    }
    why = "its run with counters ended early";
    if (run.fault) why += ": " + run.fault->reason;
  }
  verdict_.findings.push_back({"not_counted", "", 0, why});
  return Status::Ok();
}

Result<std::optional<CandidateRequest>> Gates::RequestWith(const CheckedBuild& check) {
  CandidateRequest request = request_;
  request.python_folder = check.python_folder;
  request.limits.memory_bytes *= 4;
  request.limits.cpu_ms *= 4;
  KM_ASSIGN(auto libraries, compiler_.BuildWith(check));
  if (!libraries) return std::optional<CandidateRequest>();
  request.libraries = *std::move(libraries);
  return std::optional(std::move(request));
}

bool Gates::End(VerdictStatus status, std::string_view reason, std::string detail) {
  verdict_.status = status;
  verdict_.reason = reason;
  verdict_.detail = std::move(detail);
  return false;
}

bool Gates::EndIllegal(const std::string& reason, const std::string& detail) {
  verdict_.gate = "legality";
  return End(VerdictStatus::kIllegal, reason, detail);
}

Result<CandidateRun> Gates::Run(std::vector<AskedTrial> trials, const ReferenceRun& reference) {
  request_.trials = std::move(trials);
  // What one trial may take does not depend on how many are asked for.
  const auto tenths = static_cast<std::int64_t>(
      std::max<std::size_t>(10, 10 * request_.trials.size() / kTrialsInLimits));
  const WorkerLimits limits = request_.limits;
  request_.limits.cpu_ms = limits.cpu_ms * tenths / 10;
  request_.limits.wall_ms = limits.wall_ms * tenths / 10;
  Result<CandidateRun> run = RunCandidate(worker_, request_, reference);
  request_.limits = limits;
  return run;
}

bool Gates::JudgeFindings(const std::vector<VerdictFinding>& findings) {
  using enum VerdictStatus;
  for (const VerdictFinding& finding : findings) {
    for (VerdictStatus status : {kOutOfBounds, kUndefinedBehaviour, kRace, kIllegalAddress}) {
      if (ExplainVerdictReason(status, finding.kind).empty()) continue;
      verdict_.findings.insert(verdict_.findings.end(), findings.begin(), findings.end());
      return End(status, finding.kind, finding.detail);
    }
  }
  return true;
}

void Gates::TakeLaunches(const CandidateRun& run) {
  verdict_.launches = run.trials.front().launches;
  SetOccupancy(verdict_.device, &verdict_.launches);
}

bool Gates::EndWith(const CandidateFault& fault) {
  if (const auto unbuilt = compiler_.failure(); unbuilt && fault.gate == "load") {
    return EndWith(*unbuilt);
  }
  verdict_.gate = fault.gate;
  if (fault.finding) verdict_.findings.push_back(*fault.finding);
  return End(fault.status, fault.reason, fault.detail);
}

Result<bool> Gates::JudgeOwn(const CandidateRun& run) {
  if (run.fault) return EndWith(*run.fault);
  verdict_.gate = "correctness";
  TakeLaunches(run);
  for (const CandidateTrial& trial : run.trials) {
    if (!JudgeOperators(trial)) return false;
  }
  if (options_.policy->kernels && verdict_.launches.empty()) {
    return EndIllegal("no_kernel", "forward() launches no kernel of its own");
  }
  std::optional<TrialFault> first;
  for (const CandidateTrial& trial : run.trials) {
    std::optional<TrialFault> fault = CheckTrial(*options_.policy, reference_->own(), trial);
    verdict_.trials.push_back({"own", "own", "own", !fault.has_value()});
    if (fault && !first) first = std::move(fault);
  }
  verdict_.findings.insert(verdict_.findings.end(), run.trials.front().findings.begin(),
                           run.trials.front().findings.end());
  if (!first) return true;
  const std::vector<VerdictFinding> parameters =
      CompareParameters(reference_->own().parameters, run.parameters);
  verdict_.findings.insert(verdict_.findings.end(), parameters.begin(), parameters.end());
  verdict_.diagnosis = first->diagnosis;
  return End(VerdictStatus::kWrong, first->reason, first->detail);
}

bool Gates::JudgeOperators(const CandidateTrial& trial) {
  if (options_.policy->operators == OperatorRule::kAny) return true;
  if (!trial.operators_whole) {
    return EndIllegal("observer_disabled", "the record of operators was ended from inside");
  }
  std::string reason;
  // Copying out of a layout that the task's own inputs do not have is no part of the task.
  const ReferenceOperators reference{reference_->own().operators,
                                     reference_->moves_data() && trial.asked.layout == "own"};
  for (const DispatchedOperator& item : trial.operators) {
    const OperatorVerdict said =
        JudgeOperator(options_.policy->operators, item.name, item.line > 0, reference);
    if (said == OperatorVerdict::kAllowed) continue;
    if (reason.empty()) {
      reason = said == OperatorVerdict::kComputes ? "torch_compute" : "task_operator";
    }
    verdict_.findings.push_back(
        {reason, item.line > 0 ? kFile : "", item.line, "the operator " + item.name + " ran"});
  }
  if (!reason.empty()) return EndIllegal(reason, verdict_.findings.back().detail);
  if (trial.host_values > options_.policy->host_values) {
    return EndIllegal(
        "foreign_compute",
        "its forward() reads " + std::to_string(trial.host_values) + " numbers on the host");
  }
  return true;
}

Result<CandidateRun> Gates::RunBuilt(const std::vector<AskedTrial>& trials,
                                     const ReferenceRun& reference) {
  for (int round = 0;; ++round) {
    KM_ASSIGN(CandidateRun run, Run(trials, reference));
    if (run.wanted.empty()) return run;
    if (round == kMaxBuildRounds) {
      run.fault = CandidateFault{VerdictStatus::kNotBuilt, "compile_limit", "compile",
                                 "it asks for extension after extension"};
    }
    for (const auto& [hash, sources] : run.wanted) {
      if (run.fault) break;
      KM_ASSIGN(run.fault, compiler_.Build(hash, sources));
      verdict_.device = compiler_.device();
    }
    if (run.fault) return run;
    request_.libraries = compiler_.libraries();
  }
}

Result<bool> Gates::OtherTrials(const std::vector<AskedTrial>& asked, const ReferenceRun& reference,
                                const std::string& where) {
  if (asked.empty()) return true;
  KM_ASSIGN(const CandidateRun run, Run(asked, reference));
  if (run.fault) {
    if (!SaysSomething(run.fault->status)) return EndWith(*run.fault);
    const AskedTrial& trial = asked[std::min(run.fault->trial, asked.size() - 1)];
    AddTrial(reference, trial, false);
    if (run.fault->finding) verdict_.findings.push_back(*run.fault->finding);
    return EndNotGeneral(reference, trial, where, run.fault->detail);
  }
  for (const CandidateTrial& trial : run.trials) {
    const std::optional<TrialFault> fault =
        trial.refused ? std::nullopt : CheckTrial(*options_.policy, reference, trial);
    AddTrial(reference, trial.asked, !fault.has_value());
    if (!trial.refused && !JudgeOperators(trial)) return false;
    if (!fault) continue;
    if (reference.shapes != "grading") verdict_.diagnosis = fault->diagnosis;
    return EndNotGeneral(reference, trial.asked, where, fault->detail);
  }
  return true;
}

void Gates::AddTrial(const ReferenceRun& reference, const AskedTrial& asked, bool passed) {
  verdict_.trials.push_back(
      {reference.shapes, reference.trials[asked.reference].values, asked.layout, passed});
}

bool Gates::EndNotGeneral(const ReferenceRun& reference, const AskedTrial& asked,
                          const std::string& where, const std::string& detail) {
  const std::string& values = reference.trials[asked.reference].values;
  if (reference.shapes != "own") {
    // What an error says may name sizes.
    const bool hidden = reference.shapes == "grading";
    return End(VerdictStatus::kNotGeneral, "other_shapes",
               where + (hidden || detail.empty() ? "" : ": " + detail));
  }
  if (asked.layout != "own") {
    return End(VerdictStatus::kNotGeneral, "other_layout",
               asked.layout == "strided" ? "rows of the inputs do not follow each other directly"
                                         : "the inputs begin one element into their memory");
  }
  return End(VerdictStatus::kNotGeneral, "other_values", "for inputs of the kind: " + values);
}

}  // namespace kernelmill
