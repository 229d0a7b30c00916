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

// Asks the gates in their order, up to the one that ends the candidate.
Status PassGates(Examination& examination) {
  for (const Gate& gate : AllGates()) {
    if (gate.examine == nullptr) continue;
    examination.verdict().gate = ReportedName(gate.id);
    KM_ASSIGN(const GateResult result, gate.examine(examination));
    if (result != GateResult::kEnded) continue;
    return gate.has_hidden_causes ? FindHiddenCause(examination) : Status::Ok();
  }
  KM_RETURN_IF_ERROR(CountLaunches(examination));
  examination.Accept();
  return Status::Ok();
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
  KM_RETURN_IF_ERROR(state->workers->ForReferences().status());
  KM_RETURN_IF_ERROR(state->workers->ForCandidates({.folders = state->options.folders}).status());
  return Judge(std::move(state));
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
