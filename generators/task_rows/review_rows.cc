#include "corpora/token_estimate.h"
#include "generators/difficulty.h"
#include "generators/fenced_code.h"
#include "generators/prompts/write_prompt.h"
#include "generators/task_rows/families.h"
#include "generators/task_rows/mutant_facts.h"

namespace kernelmill {
namespace {

// Right answers are reviewed too, one for so many mutants: who only sees wrong ones finds something
// wrong with everything.
constexpr std::size_t kMutantsForOneRight = 3;

std::string Capital(std::string_view text) {
  std::string capital(text);
  if (!capital.empty() && capital[0] >= 'a' && capital[0] <= 'z') capital[0] -= 'a' - 'A';
  return capital;
}

// What running it showed, of the reason that the verdict has.
std::string Shown(const Verdict& verdict) {
  const std::string_view why = ExplainVerdictReason(verdict.status, verdict.reason);
  return why.empty() ? std::string(StatusName(verdict.status)) : std::string(why);
}

std::string ReviewOf(const MutantFacts& facts, const Wording& wording) {
  const bool slow = facts.bug->failure == FailureClass::kSlowness;
  const std::vector<std::string_view> wrong = {"**Not correct.**", "**Wrong.**", "**Reject.**",
                                               "**This does not work.**"};
  const std::vector<std::string_view> slower = {"**Correct, but needlessly slow.**",
                                                "**Right results at a needless price.**"};
  std::string text(wording.Pick("review verdict", slow ? slower : wrong));
  text += ' ' + Capital(facts.Place()) + ": " + std::string(facts.bug->cause) + ".\n";
  if (!slow) {
    const std::vector<std::string_view> shows = {
        "When it is run: {shown}.", "What comes of it: {shown}.", "Running it shows it: {shown}."};
    text += '\n' +
            Fill(wording.Pick("review shown", shows),
                 {{"shown", Shown(facts.mutant->candidate.verdict)}}) +
            '\n';
  }
  const std::vector<std::string_view> remedies = {
      "To mend it, {remedy}:", "{Remedy}:", "What to do: {remedy}."};
  text += '\n' +
          Fill(wording.Pick("review remedy", remedies), {{"remedy", std::string(facts.bug->remedy)},
                                                         {"Remedy", Capital(facts.bug->remedy)}}) +
          "\n\n" + facts.Diff();
  return text;
}

std::string ReviewOfRight(const Candidate& answer, const Wording& wording) {
  const std::vector<std::string_view> verdicts = {
      "**Correct.** Nothing has to change.", "**Correct.** I find nothing wrong with it.",
      "**Accept.** It computes what the reference computes."};
  std::string text(wording.Pick("review verdict", verdicts));
  text += '\n';
  for (const DesignedKernel& kernel : answer.kernels) {
    if (kernel.mapping.empty()) continue;
    text += "\n- `" + kernel.function + "`: " + kernel.mapping + '.';
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
                     .facts = {{"candidate", Fenced("python", item.candidate.code)}}},
                    known, wording);
    WrittenRow row;
    TrainingRecord& training = row.training;
    training.family = Family::kReview;
    training.backend = item.candidate.backend;
    training.prompt_template = prompt.name;
    training.subject = known.id;
    training.candidate = item.id.Hex();
    training.messages = {{"user", prompt.text}, {"assistant", write(wording)}};
    row.inputs = {known.id, known.annotation, item.id};
    row.difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, &right),
                                  EstimateTokens(training).answer);
    rows->push_back(std::move(row));
  };
  const std::vector<MutantFacts> mutants = MutantsOf(known);
  for (const MutantFacts& facts : mutants) {
    if (facts.changes.empty()) continue;
    add(*facts.mutant, facts.right->candidate,
        [&](const Wording& wording) { return ReviewOf(facts, wording); });
    WrittenRow& row = rows->back();
    row.inputs.push_back(facts.right->id);
    if (facts.bug->failure == FailureClass::kSlowness) row.training.perf_evidence = "counted";
  }
  if (mutants.empty()) return;
  for (const KnownCandidate& item : known.candidates) {
    if (!item.IsAnswer()) continue;
    const Wording wording = known.WordingFor(item.id, Family::kReview);
    if (wording.Index("review a right one", kMutantsForOneRight) != 0) continue;
    add(item, item.candidate,
        [&](const Wording& choice) { return ReviewOfRight(item.candidate, choice); });
  }
}

}  // namespace kernelmill
