#include <algorithm>

#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/task_rows/bug_words.h"
#include "generators/task_rows/mutant_facts.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

// One correct answer is reviewed for so many mutants. A model that only sees wrong answers learns
// to object to every answer.
constexpr std::size_t kMutantsForOneRight = 3;

std::string ReviewOf(const KnownTask& known, const MutantFacts& facts) {
  const bool slow = facts.bug->failure == FailureClass::kSlowness;
  return std::string(slow ? "**The results are correct, but the program is slower than necessary.**"
                          : "**This is not correct.**") +
         "\n\n" + MistakeText(known, facts, true) + "\n\n" + FixText(facts);
}

// A review of a correct answer: why the places are right that often are not.
std::string ReviewOfRight(const KnownTask& known, const Candidate& answer, const Wording& wording) {
  const AnswerCode code = ReadAnswerCode(answer);
  const ReasoningSubject subject = {known, answer, code, wording, 3};
  std::string text = "**This is correct, and no change is needed.**";
  for (const auto& [title, part] : {std::pair("Work in kernels", GroupingStep(subject)),
                                    std::pair("Index mapping", MappingStep(subject)),
                                    std::pair("Boundaries", BoundaryStep(subject)),
                                    std::pair("Exchange in a block", ReductionStep(subject)),
                                    std::pair("Rounding", NumericsStep(subject))}) {
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
    training.messages.push_back({"assistant", write(wording)});
    row.inputs = {known.id, known.annotation, item.id};
    row.difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, &right),
                                  EstimateTokens(training).answer);
    rows->push_back(std::move(row));
  };
  const std::vector<MutantFacts> mutants = MutantsOf(known);
  for (const MutantFacts& facts : mutants) {
    if (facts.changes.empty()) continue;
    add(*facts.mutant, facts.right->candidate,
        [&](const Wording&) { return ReviewOf(known, facts); });
    WrittenRow& row = rows->back();
    row.inputs.push_back(facts.right->id);
    if (facts.bug->failure == FailureClass::kSlowness) row.training.perf_evidence = "counted";
  }
  if (mutants.empty()) return;
  for (const KnownCandidate& item : known.candidates) {
    if (!item.candidate.IsTaught()) continue;
    const Wording wording = known.WordingFor(item.id, Family::kReview);
    if (wording.Index("review a right one", kMutantsForOneRight) != 0) continue;
    add(item, item.candidate,
        [&](const Wording& choice) { return ReviewOfRight(known, item.candidate, choice); });
  }
}

}  // namespace kernelmill
