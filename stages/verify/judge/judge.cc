#include "stages/verify/judge/judge.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "generators/feedback/verdict_feedback.h"
#include "stages/verify/gates/examination.h"
#include "stages/verify/gates/launch_counts.h"

namespace kernelmill {
namespace {

// Runs the sanitizers on a candidate that has ended at a gate with has_hidden_causes. If they find
// the cause, the verdict names it; otherwise the verdict does not change.
Status FindHiddenCause(Examination& examination) {
  static constexpr VerdictStatus kEffects[] = {VerdictStatus::kWrong, VerdictStatus::kNotGeneral,
                                               VerdictStatus::kIllegalAddress,
                                               VerdictStatus::kCrashed};
  const Verdict effect = examination.verdict();
  if (std::find(std::begin(kEffects), std::end(kEffects), effect.status) == std::end(kEffects)) {
    return Status::Ok();
  }
  examination.verdict().gate = ReportedName(GateId::kSanitize);
  KM_ASSIGN(const GateResult sanitized, RunSanitized(examination));
  const Verdict& found = examination.verdict();
  const bool explains = sanitized == GateResult::kEnded &&
                        found.status != VerdictStatus::kCrashed && IsAboutCandidate(found.status) &&
                        found.findings.back().line > 0;
  if (!explains) examination.verdict() = effect;
  return Status::Ok();
}

// Whether what a gate found may be due to sizes that the contract does not ask for: it found it at
// base sizes that are smaller than the task's own. What a candidate must not do, it must not do at
// any sizes.
Result<bool> MayBeDueToSizes(Examination& examination, GateId gate) {
  using enum VerdictStatus;
  static constexpr VerdictStatus kEffects[] = {
      kWrong,    kNotGeneral,     kNotBuilt,    kNotLoaded, kCrashed,
      kTimedOut, kIllegalAddress, kOutOfBounds, kRace,      kUndefinedBehaviour};
  const VerdictStatus status = examination.verdict().status;
  const bool smaller =
      gate != GateId::kFullSize && examination.verdict().reason != kLaterCall &&
      !examination.options().contract.any_shape && examination.reference_runs != nullptr &&
      !examination.reference_runs->fault() && !examination.reference_runs->runs_at_task_sizes() &&
      std::find(std::begin(kEffects), std::end(kEffects), status) != std::end(kEffects);
  if (!smaller || examination.verdict().reason != "other_values") return smaller;
  // It is right there for the task's own values, so that a smaller batch alone is not the cause.
  KM_ASSIGN(const bool batch, examination.reference_runs->BaseIsBatch());
  return !batch;
}

// Asks the gates from `first` on, up to the one that ends the candidate.
Result<std::optional<GateId>> EndingGate(Examination& examination, GateId first) {
  for (const Gate& gate : AllGates()) {
    if (gate.examine == nullptr || gate.id < first) continue;
    examination.verdict().gate = ReportedName(gate.id);
    KM_ASSIGN(const GateResult result, gate.examine(examination));
    if (result == GateResult::kEnded) return std::optional(gate.id);
  }
  return std::optional<GateId>();
}

Status FinishEnded(Examination& examination, GateId ended) {
  const bool has_hidden_causes =
      std::any_of(AllGates().begin(), AllGates().end(),
                  [ended](const Gate& gate) { return gate.id == ended && gate.has_hidden_causes; });
  return has_hidden_causes ? FindHiddenCause(examination) : Status::Ok();
}

Status FinishRight(Examination& examination) {
  KM_RETURN_IF_ERROR(CountLaunches(examination));
  examination.Accept();
  return Status::Ok();
}

// Whether nothing is known but that a run has reached a limit of ours.
bool EndedAtLimit(const Verdict& verdict) {
  return !IsAboutCandidate(verdict.status) || verdict.status == VerdictStatus::kTimedOut ||
         verdict.reason == "memory_limit" || verdict.reason == "output_limit" ||
         verdict.reason == "killed";
}

// Whether a text holds these digits with no others beside them.
bool HoldsNumber(std::string_view text, std::string_view digits) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = 0; (at = text.find(digits, at)) != text.npos; ++at) {
    const std::size_t end = at + digits.size();
    if ((at == 0 || !is_digit(text[at - 1])) && (end == text.size() || !is_digit(text[end]))) {
      return true;
    }
  }
  return false;
}

// Whether a failure comes with words of the candidate or of its compiler.
bool SaysWhy(const Verdict& verdict) {
  return verdict.reason == "raised" || verdict.status == VerdictStatus::kNotLoaded ||
         verdict.status == VerdictStatus::kNotBuilt;
}

// Whether a candidate that has failed with the batch set as base set fails with the task's batch
// too: it does not refuse the other batch aloud, and its text does not hold the task's.
bool FailsForAnyBatch(Examination& examination) {
  if (SaysWhy(examination.verdict())) return false;
  const std::vector<std::int64_t> batch = examination.reference_runs->own_values();
  return std::none_of(batch.begin(), batch.end(), [&](std::int64_t value) {
    return HoldsNumber(examination.code, std::to_string(value));
  });
}

// Judges a candidate at sizes nearer to the task's own that has failed at smaller ones. One trial
// decides on most: what fails at the task's own sizes ends the candidate. One that is right there
// is judged by all gates, with the task's own sizes as base set, or those of which only batch-like
// ones are smaller. Failing at the latter decides nothing: the candidate may be made for its task's
// batch.
Status JudgeAtOwnSizes(Examination& examination) {
  Verdict& verdict = examination.verdict();
  const Verdict smaller = verdict;
  verdict.gate = ReportedName(GateId::kFullSize);
  KM_ASSIGN(const GateResult at_own_sizes, RunAtFullSize(examination));
  if (at_own_sizes == GateResult::kEnded && IsAboutCandidate(verdict.status)) {
    // Then the sizes are not the cause, and the first message is the better one, unless sizes that
    // it does not name were the task's own.
    KM_ASSIGN(const bool batch, examination.reference_runs->BaseIsBatch());
    const bool same = verdict.status == smaller.status &&
                      (verdict.reason == smaller.reason || verdict.reason == "full_size");
    if (same && (!batch || SaysWhy(smaller))) {
      const VerdictFullSize seen = verdict.full_size;
      verdict = smaller;
      verdict.full_size = seen;
    }
    return FindHiddenCause(examination);
  }
  const bool whole = verdict.full_size.state == "whole";
  // A protocol without rules asks for nothing but the task's own inputs: where no base set is nearer
  // to these sizes, what has run there decides.
  const bool decides = at_own_sizes == GateResult::kPassed && !examination.policy().has_rules;
  Verdict right = verdict;
  right.reason.clear();
  right.detail.clear();
  right.diagnosis.reset();
  verdict = examination.Unjudged();
  verdict.device = right.device;
  // The larger base sets have fewer kinds of values, so that a candidate that has failed for one of
  // them could not show that it is right.
  bool there = smaller.reason != "other_values" && (whole || !decides);
  if (there) {
    KM_ASSIGN(there, examination.UseBase(whole ? BaseSet::kOwn : BaseSet::kBatch));
  }
  if (there) {
    KM_ASSIGN(const std::optional<GateId> ended, EndingGate(examination, GateId::kCorrectness));
    if (!ended) return FinishRight(examination);
    const bool at_own_sizes_too =
        whole || *ended == GateId::kFullSize || FailsForAnyBatch(examination);
    if (verdict.status == VerdictStatus::kIllegal || (at_own_sizes_too && !EndedAtLimit(verdict))) {
      return FinishEnded(examination, *ended);
    }
  }
  KM_RETURN_IF_ERROR(examination.UseBase(BaseSet::kSmallest).status());
  const VerdictDevice device = verdict.device;
  if (decides) {
    verdict = right;
    verdict.device = device;
    return FinishRight(examination);
  }
  verdict = smaller;
  verdict.device = device;
  verdict.full_size = right.full_size;
  // Most code that does not compile or cannot be imported holds no size.
  KM_ASSIGN(const FullSizeReference* const reference, examination.reference_runs->Full(true));
  if (reference->run == nullptr &&
      (smaller.status == VerdictStatus::kNotBuilt || smaller.reason == "import_failed")) {
    return Status::Ok();
  }
  const std::string cause(ExplainVerdictReason(smaller.status, smaller.reason));
  verdict.gate = ReportedName(GateId::kFullSize);
  (void)examination.End(
      VerdictStatus::kUndecided, kOwnSizes,
      "at smaller sizes " + cause + (smaller.detail.empty() ? "" : ": " + smaller.detail) +
          "; nothing shows what it does at the task's own" +
          (right.full_size.why_not.empty() ? "" : ": " + right.full_size.why_not));
  return Status::Ok();
}

Status BuildLibraries(Examination& examination) {
  for (const Gate& gate : AllGates()) {
    if (gate.id >= GateId::kCompile) break;
    KM_ASSIGN(const GateResult result, gate.examine(examination));
    if (result == GateResult::kEnded) return Status::Ok();
  }
  // A run without trials imports and constructs it.
  return examination.RunAndBuild(examination.Request(), {}, examination.reference_runs->base())
      .status();
}

Status PassGates(Examination& examination) {
  KM_ASSIGN(const std::optional<GateId> ended, EndingGate(examination, GateId::kExtract));
  if (!ended) return FinishRight(examination);
  KM_ASSIGN(const bool sizes, MayBeDueToSizes(examination, *ended));
  return sizes ? JudgeAtOwnSizes(examination) : FinishEnded(examination, *ended);
}

}  // namespace

struct Judge::State {
  JudgeOptions options;
  std::shared_ptr<JudgeWorkers> workers;
};

Judge::Judge(std::unique_ptr<State> state) : state_(std::move(state)) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

Result<Judge> Judge::Start(JudgeOptions options) {
  auto state = std::make_unique<State>();
  state->options = std::move(options);
  state->workers = state->options.workers;
  if (state->workers == nullptr) state->workers = std::make_shared<JudgeWorkers>();
  KM_RETURN_IF_ERROR(state->workers->StartBoth({.folders = state->options.folders}));
  return Judge(std::move(state));
}

Status Judge::Build(const std::string& reference, const std::optional<std::string>& code) {
  Examination examination(state_->options, state_->workers.get(), reference, code);
  const Status status = BuildLibraries(examination);
  if (!status.ok()) state_->workers->End();
  return status;
}

Result<Verdict> Judge::Verify(const std::string& reference,
                              const std::optional<std::string>& code) {
  Examination examination(state_->options, state_->workers.get(), reference, code);
  if (Status status = PassGates(examination); !status.ok()) {
    state_->workers->End();
    return status;
  }
  examination.verdict().feedback = FeedbackText(examination.verdict());
  return std::move(examination.verdict());
}

}  // namespace kernelmill
