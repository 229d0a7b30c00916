#include "stages/verify/judge.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "generators/verdict_feedback.h"
#include "stages/verify/gates.h"

namespace kernelmill {

struct Judge::State {
  JudgeOptions options;
  std::shared_ptr<JudgeWorkers> workers;

  // `environment`: of CheckedBuild.
  Result<TorchWorker*> CandidateWorker(
      const std::vector<std::pair<std::string, std::string>>& environment = {}) {
    return workers->ForCandidates({.environment = environment, .folders = options.folders});
  }

  Result<Verdict> Verify(const std::string& reference, const std::optional<std::string>& code) {
    KM_ASSIGN(TorchWorker* const text_reader, workers->ForReferences());
    KM_ASSIGN(TorchWorker* const candidate_worker, CandidateWorker());
    Gates gates(options, text_reader, candidate_worker);
    KM_RETURN_IF_ERROR(Take(&gates, reference, code));
    gates.verdict().feedback = FeedbackText(gates.verdict());
    return std::move(gates.verdict());
  }

 private:
  Status Take(Gates* gates, const std::string& code, const std::optional<std::string>& answer) {
    if (!gates->Extract(answer)) return Status::Ok();
    KM_ASSIGN(const bool legal, gates->Legality());
    if (!legal) return Status::Ok();
    KM_ASSIGN(ReferenceRuns* const reference,
              workers->Reference(code, {options.policy, options.seed, options.training}));
    if (!gates->TakeReference(reference)) return Status::Ok();
    KM_ASSIGN(const bool right, gates->OwnTrials());
    if (!right) return SeekCause(gates);
    KM_ASSIGN(const bool its_own, gates->Decoy());
    if (!its_own) return Status::Ok();
    KM_ASSIGN(const bool general, gates->Generality());
    if (!general) return SeekCause(gates);
    KM_ASSIGN(const bool clean, Sanitize(gates));
    if (!clean) return Status::Ok();
    KM_ASSIGN(const bool large, gates->FullSize());
    if (!large) return Status::Ok();
    if (options.counting) {
      KM_ASSIGN(TorchWorker* const worker, CandidateWorker(options.counting->environment));
      KM_RETURN_IF_ERROR(gates->Count(*options.counting, worker));
    }
    gates->Accept();
    return Status::Ok();
  }

  Result<bool> Sanitize(Gates* gates) {
    for (const CheckedBuild& check : options.checks) {
      KM_ASSIGN(TorchWorker* const worker, CandidateWorker(check.environment));
      KM_ASSIGN(const bool clean, gates->Sanitize(check, worker));
      if (!clean) return false;
    }
    return true;
  }

  // A missing barrier mostly shows as wrong values: then the checks can say why, and where.
  Status SeekCause(Gates* gates) {
    static constexpr VerdictStatus kEffects[] = {VerdictStatus::kWrong, VerdictStatus::kNotGeneral,
                                                 VerdictStatus::kIllegalAddress,
                                                 VerdictStatus::kCrashed};
    const Verdict effect = gates->verdict();
    if (std::find(std::begin(kEffects), std::end(kEffects), effect.status) == std::end(kEffects)) {
      return Status::Ok();
    }
    KM_ASSIGN(const bool clean, Sanitize(gates));
    const Verdict& found = gates->verdict();
    const bool explains = !clean && found.status != VerdictStatus::kCrashed &&
                          SaysSomething(found.status) && found.findings.back().line > 0;
    if (!explains) gates->verdict() = effect;
    return Status::Ok();
  }
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
  KM_RETURN_IF_ERROR(state->workers->ForReferences().status());
  KM_RETURN_IF_ERROR(state->CandidateWorker().status());
  return Judge(std::move(state));
}

Result<Verdict> Judge::Verify(const std::string& reference,
                              const std::optional<std::string>& code) {
  Result<Verdict> verdict = state_->Verify(reference, code);
  if (!verdict.ok()) state_->workers->End();
  return verdict;
}

}  // namespace kernelmill
