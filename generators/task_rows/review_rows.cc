#include <algorithm>

#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/running_statistics.h"
#include "generators/task_rows/bug_words.h"
#include "generators/task_rows/mutant_facts.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

// One correct answer is reviewed for so many mutants. A model that only sees wrong answers learns
// to object to every answer.
constexpr std::size_t kMutantsForOneRight = 3;

enum class Opinion { kRight, kWrong, kSlow };

// The opinion as the answer to what the prompt of this name asks. Whether a report of a right
// program is justified depends on its speed, and so does the answer.
std::string_view VerdictFor(std::string_view prompt, Opinion opinion) {
  struct Verdict {
    std::string_view prompt, right, wrong, slow;
  };
  static constexpr Verdict kVerdicts[] = {
      {"review-pull-request", "Approved.", "Changes are needed.",
       "The results are right, but one change is needed for its speed."},
      {"review-merge", "Yes, it can be merged.", "No, it cannot be merged yet.",
       "The results are right, but it should become faster before it is merged."},
      {"review-grade", "It passes.", "It does not pass.",
       "It passes, because the results are right, but it is slower than it has to be."},
      {"review-report", "", "The report is justified: the results are wrong.",
       "The report is justified: the results are right, but it is slower than it has to be."},
      {"review-defect", "There is no defect in it.", "There is a defect in it.",
       "The results are right; the defect is in its speed."},
      {"review-debugging", "There is no mistake in it.", "There is a mistake in it.",
       "There is no mistake in its results, but it is slower than it has to be."},
      {"review-candidate-first", "Yes, it computes the same.", "No, it does not.",
       "Yes, it computes the same, but more slowly than it has to."},
      {"review-brief", "Yes, it does.", "No, it does not.",
       "Yes, it does, but it is slower than it has to be."},
  };
  for (const Verdict& verdict : kVerdicts) {
    if (verdict.prompt != prompt) continue;
    return opinion == Opinion::kRight   ? verdict.right
           : opinion == Opinion::kWrong ? verdict.wrong
                                        : verdict.slow;
  }
  return opinion == Opinion::kRight ? "It is correct."
         : opinion == Opinion::kWrong
             ? "It is not correct."
             : "The results are right, but it is slower than it has to be.";
}

std::string ReviewOf(const KnownTask& known, const MutantFacts& facts, std::string_view prompt) {
  const bool slow = facts.bug->failure == FailureClass::kSlowness;
  return "**" + std::string(VerdictFor(prompt, slow ? Opinion::kSlow : Opinion::kWrong)) +
         "**\n\n" + MistakeText(known, facts, true) + "\n\n" + FixText(facts) + OtherRemarks(facts);
}

// A review of a correct answer: why the places are right that often are not, and its speed.
std::string ReviewOfRight(const KnownTask& known, const Candidate& answer, const Wording& wording,
                          std::string_view prompt) {
  const AnswerCode code = ReadAnswerCode(answer);
  const ReasoningSubject subject = {known, answer, code, wording, 3};
  std::string verdict(VerdictFor(prompt, Opinion::kRight));
  if (prompt == "review-report") {
    const double speed = answer.estimated_speed;
    verdict = speed >= 1      ? "The report is not justified."
              : IsSlow(speed) ? "The results are right, but it is estimated as slower than PyTorch."
                              : "Its results are right.";
  }
  std::string text = "**" + verdict + "**";
  for (const auto& [title, part] : {std::pair("Index mapping", MappingStep(subject)),
                                    std::pair("Boundaries", BoundaryStep(subject)),
                                    std::pair("Exchange in a block", ReductionStep(subject)),
                                    std::pair("Rounding", NumericsStep(subject)),
                                    std::pair("State", RunningStatisticsText(answer)),
                                    std::pair("Speed", SpeedStep(subject))}) {
    if (!part.empty()) text += "\n\n**" + std::string(title) + ".** " + part;
  }
  return text;
}

}  // namespace

void WriteReviewRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  const auto add = [&](const KnownCandidate& item, const Candidate& right, auto write) {
    const Wording wording = known.WordingFor(item.id, Family::kReview);
    const Prompt prompt =
        WritePrompt({.family = Family::kReview,
                     .backend = item.candidate.backend,
                     .facts = {{"candidate", FencedWithLines("python", item.candidate.code)}}},
                    known, wording);
    WrittenRow row;
    TrainingRecord& training = row.training;
    training.family = Family::kReview;
    training.backend = item.candidate.backend;
    training.prompt_template = prompt.name;
    training.task_id = known.id;
    training.candidate = item.id.Hex();
    training.estimated_speed = item.candidate.estimated_speed;
    training.messages = prompt.Messages();
    training.messages.push_back({"assistant", write(wording, prompt.name)});
    row.inputs = {known.id, known.annotation, item.id};
    row.difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, &right),
                                  EstimateTokens(training).answer);
    rows->push_back(std::move(row));
  };
  const std::vector<MutantFacts> mutants = MutantsOf(known);
  for (const MutantFacts& facts : mutants) {
    if (facts.changes.empty()) continue;
    add(*facts.mutant, facts.right->candidate,
        [&](const Wording&, std::string_view prompt) { return ReviewOf(known, facts, prompt); });
    WrittenRow& row = rows->back();
    row.inputs.push_back(facts.right->id);
    if (facts.bug->failure == FailureClass::kSlowness) row.training.perf_evidence = "counted";
  }
  if (mutants.empty()) return;
  for (const KnownCandidate& item : known.candidates) {
    if (!item.candidate.IsTaught()) continue;
    const Wording wording = known.WordingFor(item.id, Family::kReview);
    if (wording.Index("review a right one", kMutantsForOneRight) != 0) continue;
    add(item, item.candidate, [&](const Wording& choice, std::string_view prompt) {
      return ReviewOfRight(known, item.candidate, choice, prompt);
    });
  }
}

}  // namespace kernelmill
