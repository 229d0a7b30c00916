#include <algorithm>

#include "generators/fenced_code.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/figure_lines.h"
#include "generators/reasoning/reasoning.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"
#include "generators/task_rows/families.h"

namespace kernelmill {
namespace {

// From the line that defines the kernel to the brace that closes it.
std::string_view TextOf(const AnswerCode& code, const AnswerKernel& kernel) {
  std::size_t start = 0;
  for (std::int64_t line = 1; line < kernel.line; ++line) start = code.native.find('\n', start) + 1;
  const std::size_t end = code.native.find("\n}\n", start);
  return std::string_view(code.native).substr(start, end == std::string::npos ? end : end - start);
}

// Names of kernels of `code` that `other` has not, or has otherwise.
std::vector<std::string> KernelsOnlyIn(const AnswerCode& code, const AnswerCode& other) {
  std::vector<std::string> names;
  for (const AnswerKernel& kernel : code.kernels) {
    const bool there =
        std::any_of(other.kernels.begin(), other.kernels.end(), [&](const AnswerKernel& item) {
          return item.name == kernel.name && TextOf(other, item) == TextOf(code, kernel) &&
                 item.plan->grid == kernel.plan->grid && item.plan->threads == kernel.plan->threads;
        });
    if (!there) names.push_back(kernel.name);
  }
  return names;
}

// Which kernels go, which come, and what is counted less by it.
std::string Differences(const KnownCandidate& before, const KnownCandidate& after,
                        const AnswerCode& old_code, const AnswerCode& new_code, Voice* voice) {
  std::vector<std::string> gone = KernelsOnlyIn(old_code, new_code);
  std::vector<std::string> come = KernelsOnlyIn(new_code, old_code), kept, rewritten;
  for (const AnswerKernel& kernel : new_code.kernels) {
    if (std::find(come.begin(), come.end(), kernel.name) == come.end()) {
      kept.push_back(kernel.name);
    } else if (std::erase(gone, kernel.name) > 0) {
      std::erase(come, kernel.name);
      rewritten.push_back(kernel.name);
    }
  }
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  if (!rewritten.empty()) {
    add(voice->Say({"What changes [inside|within|in the code] is {kernels}.",
                    "[I rewrite|Let us rewrite|Rewrite|I change] {kernels}.",
                    "[There is work|The work is|The gain lies] in {kernels}.",
                    "[To be rewritten|New inside|Changed]: {kernels}.",
                    "{kernels} [will not stay|can be better|should change]."},
                   {{"kernels", CodeList(rewritten)}}));
  }
  if (!gone.empty() && !come.empty()) {
    add(voice->Say({"[I|We] [replace|exchange] {gone} [by|for] {come}.",
                    "{come} will do the work of {gone}.",
                    "[Instead of|In place of] {gone} the host [calls|launches] {come}.",
                    "{gone} → {come}.", "[Out|Dropped]: {gone}; [in|new]: {come}."},
                   {{"gone", CodeList(gone)}, {"come", CodeList(come)}}));
  }
  if (!kept.empty() && voice->OneIn(2)) {
    add(voice->Say({"[Not touched|Kept as before|As it was|Unchanged]: {kept}.",
                    "{kept}: [unchanged|no change|kept].", "[I leave|Leave] {kept} [alone|as before]."},
                   {{"kept", CodeList(kept)}}));
  }
  const CountedWork old = CountedIn(before.candidate.verdict);
  const CountedWork now = CountedIn(after.candidate.verdict);
  std::vector<std::string> counts;
  const auto compare = [&](std::string_view one, std::string_view many, std::int64_t was,
                           std::int64_t is) {
    if (is >= was) return;
    counts.push_back(voice->Say(
        {"[That|It] [takes|needs] {is} {now_what} where [it took|it needed|there were] {was}.",
         "Instead of {was} {what} [I count|we have|there will be] {is}.",
         "{was} {what} become {is}.", "From {was} {what} [we get down|it goes down] to {is}.",
         "{What}: {is} [after|instead of|where there were] {was}.",
         "{is} {now_what}[, not {was}| instead of {was}| where {was} were counted]."},
        {{"was", CountText(was)},
         {"is", CountText(is)},
         {"What", Capital(many)},
         {"what", std::string(was == 1 ? one : many)},
         {"now_what", std::string(is == 1 ? one : many)}}));
  };
  compare("launch", "launches", old.launches, now.launches);
  compare("sector of global memory", "sectors of global memory", old.sectors, now.sectors);
  compare("request to global memory", "requests to global memory", old.requests, now.requests);
  compare("bank conflict", "bank conflicts", old.bank_conflicts, now.bank_conflicts);
  compare("atomic", "atomics", old.atomics, now.atomics);
  voice->Shuffle(&counts);
  std::string counted;
  for (const std::string& sentence : counts) counted += (counted.empty() ? "" : " ") + sentence;
  if (counted.empty()) return text;
  if (text.empty() || voice->OneIn(4)) return counted + (text.empty() ? "" : " " + text);
  return text + " " + counted;
}

// How the kernels that are new divide the work.
std::string NewMapping(const KnownTask& known, const KnownCandidate& after,
                       const AnswerCode& old_code, const AnswerCode& new_code,
                       const Wording& wording) {
  const std::vector<std::string> come = KernelsOnlyIn(new_code, old_code);
  Candidate changed = after.candidate;
  std::erase_if(changed.kernels, [&](const DesignedKernel& plan) {
    return std::none_of(plan.kernels.begin(), plan.kernels.end(), [&](const std::string& name) {
      return std::find(come.begin(), come.end(), name) != come.end();
    });
  });
  const AnswerCode code = ReadAnswerCode(changed);
  return MappingStep({known, changed, code, wording, 2});
}

std::string Comparison(const KnownCandidate& before, const KnownCandidate& after,
                       const KnownTask& known, const Wording& wording) {
  Voice voice(wording, "optimize");
  const AnswerCode old_code = ReadAnswerCode(before.candidate);
  const AnswerCode new_code = ReadAnswerCode(after.candidate);
  const std::string text = Differences(before, after, old_code, new_code, &voice);
  const std::string mapping = NewMapping(known, after, old_code, new_code, wording);
  if (mapping.empty() || text.empty()) return text + mapping;
  return voice.OneIn(4) ? mapping + "\n\n" + text : text + "\n\n" + mapping;
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
    Voice voice(wording, "figure lines");
    const Prompt prompt =
        WritePrompt({.family = Family::kOptimize,
                     .backend = before.candidate.backend,
                     .reasoning = kReasoningPlan,
                     .facts = {{"code", Fenced("python", before.candidate.code)},
                               {"figures", FigureLines(before.candidate.verdict, &voice)}}},
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
