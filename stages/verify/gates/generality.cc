// The gate "generality": a candidate that is right for the task's own inputs must also be right for
// other values, at other sizes and in other memory layouts.
#include <algorithm>
#include <utility>

#include "stages/verify/gates/examination.h"
#include "stages/verify/numerics/trial_comparison.h"

namespace kernelmill {
namespace {

// Variants of OtherSizes(): one that feedback may name, two for grading.
constexpr int kOtherSizes[] = {0, 1, 2};

// The sizes of a set with their names in the task: "batch_size = 5, width = 61".
std::string SizesText(const Json& renamed) {
  std::string text;
  for (const auto& [name, values] : renamed.as_object()) {
    text += (text.empty() ? "" : ", ") + name + " = " + values.as_array()[1].Dump();
  }
  return text;
}

void AddTrial(Examination& examination, const ReferenceRun& reference, const AskedTrial& asked,
              bool passed) {
  examination.verdict().trials.push_back(
      {reference.shapes, reference.trials[asked.trial_index].values, asked.layout, passed});
}

GateResult EndNotGeneral(Examination& examination, const ReferenceRun& reference,
                         const AskedTrial& asked, const std::string& where,
                         const std::string& detail) {
  constexpr VerdictStatus kNotGeneral = VerdictStatus::kNotGeneral;
  if (reference.shapes != "own") {
    // The text of an error could reveal the sizes of the set "grading".
    const bool hidden = reference.shapes == "grading";
    return examination.End(kNotGeneral, "other_shapes",
                           where + (hidden || detail.empty() ? "" : ": " + detail));
  }
  if (asked.layout != "own") {
    return examination.End(kNotGeneral, "other_layout",
                           asked.layout == "strided"
                               ? "rows of the inputs do not follow each other directly"
                               : "the inputs begin one element into their memory");
  }
  return examination.End(kNotGeneral, "other_values",
                         "for inputs of the kind: " + reference.trials[asked.trial_index].values);
}

// `where`: "at " and the sizes, for messages; empty at the base sizes.
Result<GateResult> JudgeTrials(Examination& examination, const std::vector<AskedTrial>& asked,
                               const ReferenceRun& reference, const std::string& where) {
  if (asked.empty()) return GateResult::kPassed;
  // A candidate that writes sizes into its sources asks for other builds here.
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), asked, reference));
  if (run.fault) {
    if (!IsAboutCandidate(run.fault->status) || run.fault->status == VerdictStatus::kIllegal) {
      return examination.EndWith(*run.fault);
    }
    const AskedTrial& trial = asked[std::min(run.fault->trial, asked.size() - 1)];
    AddTrial(examination, reference, trial, false);
    if (run.fault->finding) examination.verdict().findings.push_back(*run.fault->finding);
    return EndNotGeneral(examination, reference, trial, where, run.fault->detail);
  }
  for (const CandidateTrial& trial : run.trials) {
    const std::optional<TrialFault> fault =
        trial.refused ? std::nullopt : CompareTrial(examination.policy(), reference, trial);
    AddTrial(examination, reference, trial.asked, !fault.has_value());
    if (!trial.refused && examination.JudgeOperators(trial) == GateResult::kEnded) {
      return GateResult::kEnded;
    }
    if (!fault) continue;
    if (reference.shapes != "grading") examination.verdict().diagnosis = fault->diagnosis;
    return EndNotGeneral(examination, reference, trial.asked, where, fault->detail);
  }
  return GateResult::kPassed;
}

}  // namespace

Result<GateResult> JudgeOtherTrials(Examination& examination) {
  if (!examination.policy().generality) return GateResult::kPassed;
  const ReferenceRun& base = examination.reference_runs->base();
  std::vector<AskedTrial> values = TrialsWhere(base, false);
  // The first trial has inputs of the task's own kind: a candidate that remembers results by one
  // value of the inputs then gives that trial's result for constant rows, which begin with the same
  // value.
  if (!values.empty()) values.insert(values.begin(), AskedTrial{});
  KM_ASSIGN(GateResult result, JudgeTrials(examination, values, base, ""));
  for (int variant : kOtherSizes) {
    if (result == GateResult::kEnded) return result;
    KM_ASSIGN(const ReferenceRun* const other, examination.reference_runs->Other(variant));
    if (other == nullptr) {
      result = GateResult::kNotCompared;
      continue;
    }
    const std::string named = variant == 0 ? SizesText(other->renamed) : "";
    const std::string where = "at " + (named.empty() ? "sizes other than the task's own" : named);
    KM_ASSIGN(const GateResult there,
              JudgeTrials(examination, TrialsWhere(*other, true), *other, where));
    result = std::max(result, there);
  }
  if (result == GateResult::kEnded) return result;
  KM_ASSIGN(const GateResult layouts,
            JudgeTrials(examination, {{0, "strided"}, {0, "offset"}}, base, ""));
  return std::max(result, layouts);
}

}  // namespace kernelmill
