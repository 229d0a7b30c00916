// The gate "generality": a candidate that is right for the task's own inputs must also be right for
// other values, and at other sizes, in other memory layouts and for rare values if the contract
// asks for them. What it does beyond its contract is graded.
#include <algorithm>
#include <utility>

#include "stages/verify/gates/examination.h"
#include "stages/verify/gates/module_buffers.h"
#include "stages/verify/gates/other_parameters.h"
#include "stages/verify/gates/second_model.h"
#include "stages/verify/numerics/trial_comparison.h"
#include "stages/verify/reference/encoded_inputs.h"

namespace kernelmill {
namespace {

// Variants of OtherSizes(): one that feedback may name, three for grading.
constexpr int kOtherSizes[] = {0, 1, 2, 3};

// Layouts of layouts.py (stages/worker/torch_worker), and how the inputs lie in memory then.
struct OtherLayout {
  const char* name;
  const char* text;
  std::size_t rank = 1;  // The fewest dimensions that an input needs to have it.
};
constexpr OtherLayout kOtherLayouts[] = {
    {"strided", "rows of the inputs do not follow each other directly"},
    {"offset", "the inputs begin one element into their memory"},
    {"stepped", "elements of the inputs do not follow each other directly"},
    {"transposed", "the last two dimensions of the inputs are swapped in memory", 2},
    {"channels_last", "the inputs are in the memory format channels_last", 4},
    {"expanded", "the rows of the inputs are expanded from one element each"}};
// Only rows of equal elements can be expanded.
constexpr char kExpanded[] = "expanded", kConstantRows[] = "constant_rows";

// The trials of the base set with other layouts.
std::vector<AskedTrial> TrialsOfLayouts(const ReferenceRun& base) {
  std::vector<AskedTrial> asked;
  const std::size_t rank = LargestRank(base.trials.front().inputs);
  const auto constant =
      std::find_if(base.trials.begin(), base.trials.end(),
                   [](const ReferenceTrial& trial) { return trial.values == kConstantRows; });
  for (const OtherLayout& layout : kOtherLayouts) {
    const bool expanded = layout.name == std::string_view(kExpanded);
    if (rank < layout.rank || (expanded && constant == base.trials.end())) continue;
    asked.push_back(
        {expanded ? static_cast<std::size_t>(constant - base.trials.begin()) : 0, layout.name});
  }
  return asked;
}

std::string TextOfLayout(std::string_view name) {
  for (const OtherLayout& layout : kOtherLayouts) {
    if (layout.name == name) return layout.text;
  }
  return "";
}

// The sizes of a set with their names in the task: "batch_size = 5, width = 61".
std::string SizesText(const Json& renamed) {
  std::string text;
  for (const auto& [name, values] : renamed.as_object()) {
    text += (text.empty() ? "" : ", ") + name + " = " + values.as_array()[1].Dump();
  }
  return text;
}

// What some trials of a candidate show.
struct Shown {
  // kNotTried if nothing was shown to the end: `unknown` says why, unless there was nothing to try.
  Grade grade = Grade::kNotTried;
  bool ended = false;                     // The candidate has ended in one of them.
  std::optional<CandidateFault> unknown;  // It says nothing about the candidate.
  // Of the trial that is not right.
  AskedTrial asked;
  std::string detail;
  std::optional<VerdictDiagnosis> diagnosis;
  std::optional<VerdictFinding> finding;
};

// Whether a candidate says aloud that it is not made for a trial: forward() or the constructor
// raises an error, or an extension does not compile.
bool IsRefusal(const CandidateFault& fault) {
  using enum VerdictStatus;
  return (fault.status == kCrashed && fault.reason == "raised") || fault.status == kNotLoaded ||
         fault.status == kNotBuilt;
}

// Runs the trials, up to the first that is not right.
Result<Shown> RunTrials(Examination& examination, const std::vector<AskedTrial>& asked,
                        const ReferenceRun& reference) {
  Shown shown;
  const auto add = [&](const AskedTrial& trial, bool passed) {
    examination.verdict().trials.push_back(
        {reference.shapes, reference.trials[trial.trial_index].values, trial.layout, passed});
  };
  if (asked.empty()) return shown;
  // A candidate that writes sizes into its sources asks for other builds here.
  KM_ASSIGN(const CandidateRun run,
            examination.RunAndBuild(examination.Request(), asked, reference));
  if (run.fault) {
    const CandidateFault& fault = *run.fault;
    if (fault.status == VerdictStatus::kIllegal) {
      shown.ended = examination.EndWith(fault) == GateResult::kEnded;
    } else if (!IsAboutCandidate(fault.status)) {
      shown.unknown = fault;
    } else {
      shown.grade = IsRefusal(fault) ? Grade::kRefuses : Grade::kWrong;
      shown.asked = asked[std::min(fault.trial, asked.size() - 1)];
      shown.detail = fault.detail;
      shown.finding = fault.finding;
      add(shown.asked, false);
    }
    return shown;
  }
  for (const CandidateTrial& trial : run.trials) {
    const std::optional<TrialFault> fault =
        trial.refused ? std::nullopt : CompareTrial(examination.policy(), reference, trial);
    const bool right = !trial.refused && !fault;
    add(trial.asked, right);
    if (!trial.refused && examination.JudgeOperators(trial) == GateResult::kEnded) {
      shown.ended = true;
      return shown;
    }
    if (right) continue;
    shown.grade = std::max(shown.grade, trial.refused ? Grade::kRefuses : Grade::kWrong);
    shown.asked = trial.asked;
    if (!fault) continue;
    shown.detail = fault->detail;
    shown.diagnosis = fault->diagnosis;
    return shown;
  }
  shown.grade = std::max(shown.grade, Grade::kAll);
  return shown;
}

// Ends the candidate for what trials show that the contract asks for. `reason` is one of
// kNotGeneral; `detail` says which trials.
GateResult Judged(Examination& examination, const Shown& shown, std::string_view reason,
                  std::string detail) {
  if (shown.unknown) return examination.EndWith(*shown.unknown);
  if (shown.grade <= Grade::kAll) return GateResult::kPassed;
  if (shown.finding) examination.verdict().findings.push_back(*shown.finding);
  examination.verdict().diagnosis = shown.diagnosis;
  return examination.End(VerdictStatus::kNotGeneral, reason, std::move(detail));
}

// Ends the candidate for a kind of values.
GateResult JudgedValues(Examination& examination, const Shown& shown,
                        const ReferenceRun& reference) {
  return Judged(examination, shown, "other_values",
                "for inputs of the kind: " + reference.trials[shown.asked.trial_index].values);
}

// Runs a set's trial of the task's own kind, and then its other kinds of values.
Result<Shown> RunKinds(Examination& examination, const ReferenceRun& reference) {
  std::vector<AskedTrial> asked = TrialsWhere(reference, false);
  asked.insert(asked.begin(), AskedTrial{});
  return RunTrials(examination, asked, reference);
}

Result<GateResult> JudgeValues(Examination& examination) {
  const ReferenceRun& base = examination.reference_runs->base();
  std::vector<AskedTrial> asked = TrialsWhere(base, false);
  // The first trial has inputs of the task's own kind: a candidate that remembers results by one
  // value of the inputs then gives that trial's result for constant rows, which begin with the same
  // value.
  if (!asked.empty()) asked.insert(asked.begin(), AskedTrial{});
  KM_ASSIGN(const Shown shown, RunTrials(examination, asked, base));
  if (shown.ended) return GateResult::kEnded;
  return JudgedValues(examination, shown, base);
}

// Whether what trials at smaller sizes show is about the contract: not if it does not ask for these
// sizes, because a candidate may be made for the task's own.
bool Decides(const Examination& examination, const Shown& shown) {
  return shown.unknown || shown.grade <= Grade::kAll ||
         (examination.options().contract.any_shape && shown.asked.trial_index > 0);
}

// The kinds of values that cost too much at the base sizes. What fails at smaller sizes is tried
// there.
Result<GateResult> JudgeSpecialValues(Examination& examination) {
  for (const bool at_base : {false, true}) {
    KM_ASSIGN(const ReferenceRun* const run, examination.reference_runs->SpecialValues(at_base));
    if (run == nullptr) return GateResult::kPassed;
    KM_ASSIGN(const Shown shown, RunKinds(examination, *run));
    if (shown.ended) return GateResult::kEnded;
    if (!at_base && !Decides(examination, shown)) continue;
    return JudgedValues(examination, shown, *run);
  }
  return GateResult::kPassed;
}

Result<GateResult> JudgeSizes(Examination& examination) {
  Grade& grade = examination.verdict().generality.sizes;
  const bool asked_for = examination.options().contract.any_shape;
  GateResult result = GateResult::kPassed;
  bool all = true;
  for (const int variant : kOtherSizes) {
    KM_ASSIGN(const ReferenceRun* const other, examination.reference_runs->Other(variant));
    if (other == nullptr) {
      result = GateResult::kNotCompared;  // The grade says it, unless others of the sets exist.
      continue;
    }
    KM_ASSIGN(Shown shown, RunTrials(examination, TrialsWhere(*other, true), *other));
    if (shown.ended) return GateResult::kEnded;
    grade = std::max(grade, shown.grade);
    all = all && shown.grade != Grade::kNotTried;
    if (asked_for) {
      // No message tells what the set "grading" holds; the text of an error could.
      const bool named = variant == 0;
      const std::string sizes = named ? SizesText(other->renamed) : "";
      std::string detail = "at " + (sizes.empty() ? "sizes other than the task's own" : sizes);
      if (named && !shown.detail.empty()) detail += ": " + shown.detail;
      if (!named) shown.diagnosis.reset();
      const GateResult judged = Judged(examination, shown, "other_shapes", std::move(detail));
      if (judged == GateResult::kEnded) return judged;
    }
    if (grade == Grade::kWrong) break;
  }
  if (!all && grade == Grade::kAll) grade = Grade::kNotTried;
  return result;
}

Result<GateResult> JudgeLayouts(Examination& examination) {
  const ReferenceRun& base = examination.reference_runs->base();
  KM_ASSIGN(const Shown shown, RunTrials(examination, TrialsOfLayouts(base), base));
  if (shown.ended) return GateResult::kEnded;
  examination.verdict().generality.layouts = shown.grade;
  if (!examination.options().contract.any_layout) return GateResult::kPassed;
  return Judged(
      examination, shown, "other_layout",
      TextOfLayout(shown.asked.layout) + (shown.detail.empty() ? "" : ": " + shown.detail));
}

Result<GateResult> JudgeRareValues(Examination& examination) {
  for (const bool at_base : {true, false}) {
    KM_ASSIGN(const ReferenceRun* const run, examination.reference_runs->RareValues(at_base));
    if (run == nullptr) continue;
    KM_ASSIGN(const Shown shown, RunKinds(examination, *run));
    if (shown.ended) return GateResult::kEnded;
    // A candidate may be made for the task's own sizes.
    if (!at_base && !Decides(examination, shown)) return GateResult::kPassed;
    examination.verdict().generality.values = shown.grade;
    if (!examination.options().contract.any_values) return GateResult::kPassed;
    return JudgedValues(examination, shown, *run);
  }
  return GateResult::kPassed;
}

}  // namespace

Result<GateResult> JudgeOtherTrials(Examination& examination) {
  if (!examination.policy().generality) return GateResult::kPassed;
  GateResult result = GateResult::kPassed;
  for (const auto& judge : {JudgeValues, JudgeOtherParameters, JudgeSecondModel, JudgeModuleBuffers,
                            JudgeSpecialValues, JudgeSizes, JudgeLayouts, JudgeRareValues}) {
    KM_ASSIGN(const GateResult judged, judge(examination));
    if (judged == GateResult::kEnded) return judged;
    result = std::max(result, judged);
  }
  return result;
}

}  // namespace kernelmill
