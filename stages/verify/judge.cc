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
  TorchWorker judge_worker;
  TorchWorker candidate_worker;
  // One for each of options.checks that needs one, started when the first is needed.
  std::vector<std::optional<TorchWorker>> checked_workers;
  std::string reference_code;
  std::optional<ReferenceRuns> reference;

  Status Prepare(const std::string& code) {
    if (reference && reference_code == code) return Status::Ok();
    reference.reset();
    ReferenceRuns::Options run_options;
    run_options.policy = options.policy;
    run_options.seed = options.seed;
    run_options.training = options.training;
    KM_ASSIGN(reference, ReferenceRuns::Start(&judge_worker, code, run_options));
    reference_code = code;
    return Status::Ok();
  }

  Status StartChecks() {
    for (std::size_t i = checked_workers.size(); i < options.checks.size(); ++i) {
      checked_workers.emplace_back();
      if (options.checks[i].environment.empty()) continue;
      WorkerOptions worker_options;
      worker_options.folders = options.folders;
      worker_options.environment = options.checks[i].environment;
      KM_ASSIGN(checked_workers[i], TorchWorker::Start(worker_options));
    }
    return Status::Ok();
  }

  Status Take(Gates* gates, const std::string& code, const std::optional<std::string>& answer) {
    if (!gates->Extract(answer)) return Status::Ok();
    KM_ASSIGN(const bool legal, gates->Legality());
    if (!legal) return Status::Ok();
    KM_RETURN_IF_ERROR(Prepare(code));
    if (!gates->TakeReference(&*reference)) return Status::Ok();
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
      KM_RETURN_IF_ERROR(gates->Count(*options.counting, &candidate_worker));
    }
    gates->Accept();
    return Status::Ok();
  }

  Result<bool> Sanitize(Gates* gates) {
    KM_RETURN_IF_ERROR(StartChecks());
    for (std::size_t i = 0; i < options.checks.size(); ++i) {
      TorchWorker* const worker = checked_workers[i] ? &*checked_workers[i] : &candidate_worker;
      KM_ASSIGN(const bool clean, gates->Sanitize(options.checks[i], worker));
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
  KM_ASSIGN(TorchWorker judge_worker, TorchWorker::Start());
  WorkerOptions candidate_options;
  candidate_options.folders = options.folders;
  KM_ASSIGN(TorchWorker candidate_worker, TorchWorker::Start(candidate_options));
  return Judge(std::unique_ptr<State>(new State{std::move(options),
                                                std::move(judge_worker),
                                                std::move(candidate_worker),
                                                {},
                                                "",
                                                std::nullopt}));
}

Result<Verdict> Judge::Verify(const std::string& reference,
                              const std::optional<std::string>& code) {
  Gates gates(state_->options, &state_->judge_worker, &state_->candidate_worker);
  KM_RETURN_IF_ERROR(state_->Take(&gates, reference, code));
  gates.verdict().feedback = FeedbackText(gates.verdict());
  return std::move(gates.verdict());
}

}  // namespace kernelmill
