#include "generators/fenced_code.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"
#include "generators/task_rows/families.h"

namespace kernelmill {
namespace {

// What is counted less, and by what design.
std::string Comparison(const KnownCandidate& before, const KnownCandidate& after,
                       const KnownTask& known, const Wording& wording) {
  Voice voice(wording, "optimize");
  const CountedWork old = CountedIn(before.candidate.verdict);
  const CountedWork now = CountedIn(after.candidate.verdict);
  std::string text;
  const auto add = [&](std::string_view what, std::int64_t was, std::int64_t is) {
    if (is >= was) return;
    text +=
        (text.empty() ? "" : " ") +
        voice.Say({"The {what} [fall|go down|drop] from {was} to {is}.",
                   "Instead of {was} there are {is} {what}.",
                   "[It takes|It needs] {is} {what} where [it took|it needed] {was}.",
                   "{was} {what} [become|shrink to] {is}."},
                  {{"what", std::string(what)}, {"was", CountText(was)}, {"is", CountText(is)}});
  };
  add("sectors of global memory", old.sectors, now.sectors);
  add("launches", old.launches, now.launches);
  add("requests to global memory", old.requests, now.requests);
  add("bank conflicts", old.bank_conflicts, now.bank_conflicts);
  add("atomics", old.atomics, now.atomics);
  const AnswerCode code = ReadAnswerCode(after.candidate);
  const std::string mapping = MappingStep({known, after.candidate, code, wording, 2});
  return text + (mapping.empty() ? "" : "\n\n" + mapping);
}

}  // namespace

// For each answer of a platform that others beat, the best of those: counted at equal work.
void WriteOptimizeRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  std::vector<WrittenRow> written;
  for (const KnownCandidate& before : known.candidates) {
    if (!before.IsAnswer()) continue;
    const KnownCandidate* best = nullptr;
    for (const KnownCandidate& after : known.candidates) {
      if (!after.IsAnswer() || after.candidate.backend != before.candidate.backend) continue;
      const CountedWork work = CountedIn(after.candidate.verdict);
      if (IsStrictlyBetter(work, CountedIn(before.candidate.verdict)) &&
          (best == nullptr || IsStrictlyBetter(work, CountedIn(best->candidate.verdict)))) {
        best = &after;
      }
    }
    if (best == nullptr) continue;
    const Wording wording = known.WordingFor(before.id, Family::kOptimize);
    WrittenRow row = RowAbout(known, *best, Family::kOptimize);
    row.training.perf_evidence = "counted";
    row.training.reasoning = kReasoningPlan;
    row.training.reasoning_author = kReasonedByRule;
    const Prompt prompt =
        WritePrompt({.family = Family::kOptimize,
                     .backend = before.candidate.backend,
                     .reasoning = kReasoningPlan,
                     .facts = {{"code", Fenced("python", before.candidate.code)},
                               {"figures", FigureLines(before.candidate.verdict)}}},
                    known, wording);
    row.training.prompt_template = prompt.name;
    row.inputs.push_back(before.id);
    Finish(
        known, best->candidate, prompt.text,
        Comparison(before, *best, known, wording) + "\n\n" + Fenced("python", best->candidate.code),
        &row);
    written.push_back(std::move(row));
  }
  for (WrittenRow& row : written) {
    row.weight = 1.0 / static_cast<double>(written.size());
    rows->push_back(std::move(row));
  }
}

}  // namespace kernelmill
