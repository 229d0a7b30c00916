#include <algorithm>
#include <map>

#include "generators/prompts/figure_lines.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

// The definition of the kernel, up to its closing brace.
std::string_view TextOf(const AnswerCode& code, const AnswerKernel& kernel) {
  std::size_t start = 0;
  for (std::int64_t line = 1; line < kernel.line; ++line) start = code.native.find('\n', start) + 1;
  const std::size_t end = code.native.find("\n}\n", start);
  return std::string_view(code.native).substr(start, end == std::string::npos ? end : end - start);
}

// The kernels of `code` that `other` does not contain in the same form.
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

// A counter that is lower for the better answer.
struct Fall {
  std::string_view one, many;
  std::int64_t was = 0, is = 0;
};

std::vector<Fall> FallsOf(const CountedWork& before, const CountedWork& after) {
  std::vector<Fall> falls = {
      {"launch", "launches", before.launches, after.launches},
      {"sector of global memory", "sectors of global memory", before.sectors, after.sectors},
      {"request to global memory", "requests to global memory", before.requests, after.requests},
      {"bank conflict", "bank conflicts", before.bank_conflicts, after.bank_conflicts},
      {"atomic", "atomics", before.atomics, after.atomics}};
  std::erase_if(falls, [](const Fall& fall) { return fall.is >= fall.was; });
  return falls;
}

// ", a quarter" when the new count is a simple fraction of the old one; else "".
std::string PartOf(const Fall& fall, SentenceWriter* writer) {
  static const std::map<std::int64_t, std::string_view> kParts = {
      {2, "half"}, {3, "a third"}, {4, "a quarter"}, {8, "an eighth"}, {16, "a sixteenth"}};
  if (fall.is == 0 || fall.was % fall.is != 0) return "";
  const auto part = kParts.find(fall.was / fall.is);
  if (part == kParts.end()) return "";
  return writer->Say(
      {", {part} of the former number", ", {part} of what it was", " ({part})", ", {part}", ""},
      {{"part", std::string(part->second)}});
}

std::string OneFall(const Fall& fall, SentenceWriter* writer) {
  const SentenceValues values = {{"was", CountText(fall.was)},
                                 {"is", CountText(fall.is)},
                                 {"part", PartOf(fall, writer)},
                                 {"What", Capital(fall.many)},
                                 {"what", std::string(fall.was == 1 ? fall.one : fall.many)},
                                 {"now_what", std::string(fall.is == 1 ? fall.one : fall.many)}};
  if (fall.is == 0) {
    return writer->Say(
        {"No {many} [remain|are left][ of {was}|].", "All {was} {what} [go away|vanish].",
         "The {was} {what} [disappear|are gone].", "{What}: none[, after {was}|]."},
        {{"was", CountText(fall.was)},
         {"What", Capital(fall.many)},
         {"many", std::string(fall.many)},
         {"what", std::string(fall.was == 1 ? fall.one : fall.many)}});
  }
  return writer->Say(
      {"[That|It] [takes|needs] {is} {now_what} where [it took|it needed|there were] {was}{part}.",
       "Instead of {was} {what} [I count|we have|there will be] {is}{part}.",
       "{was} {what} become {is}{part}.",
       "From {was} {what} [we get down|it goes down] to {is}{part}.",
       "{What}: {is} [after|instead of|where there were] {was}{part}.",
       "{is} {now_what}[, not {was}| instead of {was}| where {was} were counted].",
       "{What} [fall|drop] from {was} to {is}{part}.",
       "[Of|Out of] {was} {what} {is} [remain|are left]{part}."},
      values);
}

// All lower counters in one sentence or one table.
std::string AllFalls(const std::vector<Fall>& falls, SentenceWriter* writer) {
  if (writer->OneIn(5)) {
    std::string table =
        writer->Choose("\n\n| counted | before | [after|now] |\n| --- | --- | --- |\n");
    for (const Fall& fall : falls) {
      table += "| " + std::string(fall.many) + " | " + CountText(fall.was) + " | " +
               CountText(fall.is) + " |\n";
    }
    return table + "\n";
  }
  const std::string form = writer->Choose(
      "[{is} {now_what} for {was}|{what} from {was} to {is}{part}|{is} instead of {was} "
      "{what}|{was} "
      "→ {is} {what}|{what} {was} → {is}{part}|{is} {now_what} (before: {was})]");
  std::vector<std::string> items;
  for (const Fall& fall : falls) {
    items.push_back(FillPlaceholders(
        form, {{"was", CountText(fall.was)},
               {"is", CountText(fall.is)},
               {"part", form.find("{part}") == form.npos ? "" : PartOf(fall, writer)},
               {"what", std::string(fall.many)},
               {"now_what", std::string(fall.is == 1 ? fall.one : fall.many)}}));
  }
  return writer->Say({"[Counted|It comes to|That makes|The gain|Effect]: {list}.",
                      "[With it I count|After that:] {list}.", "{List}[: that is the gain|]."},
                     {{"list", Listed(items)}, {"List", Capital(Listed(items))}});
}

// The kernels that are replaced, rewritten and kept, and the counters that are lower.
std::string Differences(const KnownCandidate& before, const KnownCandidate& after,
                        const AnswerCode& old_code, const AnswerCode& new_code,
                        SentenceWriter* writer) {
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
    add(writer->Say({"What changes [inside|within|in the code] is {kernels}.",
                     "[I rewrite|Let us rewrite|Rewrite|I change] {kernels}.",
                     "[There is work|The work is|The gain lies] in {kernels}.",
                     "[To be rewritten|New inside|Changed]: {kernels}.",
                     "{kernels} [will not stay|can be better|should change]."},
                    {{"kernels", CodeList(rewritten)}}));
  }
  if (!gone.empty() && !come.empty()) {
    add(writer->Say(
        {"[I|We] [replace|exchange] {gone} [by|for] {come}.", "{come} will do the work of {gone}.",
         "[Instead of|In place of] {gone} the host [calls|launches] {come}.", "{gone} → {come}.",
         "[Out|Dropped]: {gone}; [in|new]: {come}."},
        {{"gone", CodeList(gone)}, {"come", CodeList(come)}}));
  }
  if (!kept.empty() && writer->OneIn(2)) {
    add(writer->Say(
        {"[Not touched|Kept as before|As it was|Unchanged]: {kept}.",
         "{kept}: [unchanged|no change|kept].", "[I leave|Leave] {kept} [alone|as before]."},
        {{"kept", CodeList(kept)}}));
  }
  std::vector<Fall> falls =
      FallsOf(CountedWorkOf(before.candidate.verdict), CountedWorkOf(after.candidate.verdict));
  writer->Shuffle(&falls);
  std::vector<std::string> counts;
  // Each counter in a sentence of its own, or all in one.
  if (falls.size() > 1 && writer->Index(3) > 0) {
    counts.push_back(AllFalls(falls, writer));
  } else {
    for (const Fall& fall : falls) counts.push_back(OneFall(fall, writer));
  }
  std::string counted;
  for (const std::string& sentence : counts) counted += (counted.empty() ? "" : " ") + sentence;
  // A table is a paragraph of its own.
  if (counted.starts_with('\n')) {
    while (counted.ends_with('\n')) counted.pop_back();
    return text + (text.empty() ? counted.substr(2) : counted);
  }
  if (counted.empty()) return text;
  if (text.empty() || writer->OneIn(4)) return counted + (text.empty() ? "" : " " + text);
  return text + " " + counted;
}

// How the new kernels divide the work.
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
  SentenceWriter writer(wording, "optimize");
  const AnswerCode old_code = ReadAnswerCode(before.candidate);
  const AnswerCode new_code = ReadAnswerCode(after.candidate);
  const std::string text = Differences(before, after, old_code, new_code, &writer);
  const std::string mapping = NewMapping(known, after, old_code, new_code, wording);
  if (mapping.empty() || text.empty()) return text + mapping;
  return writer.OneIn(4) ? mapping + "\n\n" + text : text + "\n\n" + mapping;
}

}  // namespace

// For each answer that others of its backend beat by their counters, a row with the best of them.
void WriteOptimizeRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  std::vector<WrittenRow> written;
  for (const KnownCandidate& before : known.candidates) {
    if (!before.candidate.IsAnswer()) continue;
    const KnownCandidate* best = nullptr;
    for (const KnownCandidate& after : known.candidates) {
      if (!after.candidate.IsTaught() || after.candidate.backend != before.candidate.backend) continue;
      const CountedWork work = CountedWorkOf(after.candidate.verdict);
      if (IsStrictlyBetter(work, CountedWorkOf(before.candidate.verdict)) &&
          (best == nullptr || IsStrictlyBetter(work, CountedWorkOf(best->candidate.verdict)))) {
        best = &after;
      }
    }
    if (best == nullptr) continue;
    const Wording wording = known.WordingFor(before.id, Family::kOptimize);
    WrittenRow row = NewRow(known, *best, Family::kOptimize);
    row.training.perf_evidence = "counted";
    row.training.reasoning = kReasoningPlan;
    row.training.reasoning_author = kReasonedByRule;
    SentenceWriter writer(wording, "figure lines");
    const Prompt prompt =
        WritePrompt({.family = Family::kOptimize,
                     .backend = before.candidate.backend,
                     .reasoning = kReasoningPlan,
                     .facts = {{"code", Fenced("python", before.candidate.code)},
                               {"figures", FigureLines(before.candidate.verdict, &writer)}}},
                    known, wording);
    row.training.prompt_template = prompt.name;
    row.inputs.push_back(before.id);
    FinishRow(
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
