#include <algorithm>

#include "corpora/kernel_backend.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

std::string PlatformOf(const Candidate& candidate) {
  return std::string(FindKernelBackend(candidate.backend)->title);
}

// A name that differs between the two programs.
struct Renaming {
  std::string_view what;
  std::string old, now;
  std::int64_t line = 0, times = 0;  // Its first line and its frequency in the ported program.
};

std::vector<Renaming> RenamingsIn(const Candidate& from, const Candidate& to) {
  const KernelBackend &old = *FindKernelBackend(from.backend),
                      &now = *FindKernelBackend(to.backend);
  std::vector<Renaming> all = {
      {"the loader", std::string(old.loader_module), std::string(now.loader_module)},
      {"the keyword for device code", std::string(old.sources_keyword),
       std::string(now.sources_keyword)},
      {"the keyword for the compiler's flags", std::string(old.flags_keyword),
       std::string(now.flags_keyword)},
      {"the device guard", std::string(old.device_guard), std::string(now.device_guard)},
      {"the stream", std::string(old.current_stream), std::string(now.current_stream)},
      {"the check of a launch", std::string(old.launch_check), std::string(now.launch_check)},
      {"the 16-bit brain float", std::string(old.bfloat16_type), std::string(now.bfloat16_type)}};
  std::erase_if(all, [&](const Renaming& name) {
    return name.old == name.now || from.code.find(name.old) == std::string::npos ||
           to.code.find(name.now) == std::string::npos;
  });
  for (Renaming& name : all) {
    const std::size_t first = from.code.find(name.old);
    name.line = 1 + std::count(from.code.begin(),
                               from.code.begin() + static_cast<std::ptrdiff_t>(first), '\n');
    for (std::size_t at = first; at != from.code.npos; at = from.code.find(name.old, at + 1)) {
      ++name.times;
    }
  }
  return all;
}

std::string OneRenaming(const Renaming& name, const std::string& from, const std::string& to,
                        SentenceWriter* writer) {
  std::string sentence = writer->Say(
      {"[On|For|With] {to} {what} is `{now}`.", "{what}: `{now}`[ from now on| instead|].",
       "`{old}`[ (line {line})| in line {line}] is [{from}'s name|{what} of {from}|for {from}].",
       "[Look at|Change|Mind|Mend] `{old}` in line {line}[: {what}|].",
       "{what} [has another name|is called otherwise] [on|for] {to}: `{now}`.",
       "`{old}`[ (line {line})|, first in line {line},|] [becomes|turns into|gives way to] "
       "`{now}`.",
       "[For|As] {what}[: | ]`{now}` [instead of|in place of|where there was] `{old}`.",
       "{what}, `{old}`[ in line {line}|], [turns into|is now|is spelled] `{now}`.",
       "[Line {line}|In line {line}]: `{old}` → `{now}`.",
       "[Replace `{old}` by|Exchange `{old}` for|Swap `{old}` for] `{now}`[, {what},|] from line "
       "{line} on.",
       "`{now}` [takes the place of|stands for|replaces] `{old}`[, {what}|][ in line {line}|]."},
      {{"what", std::string(name.what)},
       {"old", name.old},
       {"now", name.now},
       {"from", from},
       {"to", to},
       {"line", std::to_string(name.line)}});
  if (sentence.starts_with("the ")) sentence[0] = 'T';
  return sentence;
}

// A sentence about the parts that are the same on both platforms.
std::string OnKernels(const Candidate& to, SentenceWriter* writer) {
  std::vector<std::string> kernels;
  std::int64_t threads = 0;
  for (const DesignedKernel& plan : to.kernels) {
    for (const std::string& name : plan.kernels) kernels.push_back(name);
    threads = plan.threads;
  }
  return writer->Say(
      {"[Unchanged|Kept|As before]: {kernels}[, where [neither indices nor bounds nor arithmetic "
       "depend on the platform|nothing knows the platform]|].",
       "The [kernel code|device code] itself ({kernels}) [carries over|is taken over|moves] "
       "unchanged[, its [grid|launch] `{grid}` too|].",
       "[No line of|Nothing inside] {kernels} [needs to change|changes][; only what "
       "surrounds the launch does|].",
       "`{function}` still [launches|starts] `{grid}` blocks of {threads} threads.",
       "[Indices, bounds and arithmetic|The bodies] of {kernels} [stay|remain|are the same]."},
      {{"kernels", CodeList(kernels, 4)},
       {"function", to.kernels.empty() ? "" : to.kernels.back().function},
       {"grid", to.kernels.empty() ? "" : to.kernels.back().grid},
       {"threads", std::to_string(threads)}});
}

std::string Reasoning(std::string_view level, const Candidate& from, const Candidate& to,
                      const Wording& wording) {
  if (level == kReasoningNone) return "";
  SentenceWriter writer(wording, "port");
  std::vector<Renaming> names = RenamingsIn(from, to);
  if (level == kReasoningPlan) {
    // A plan names only some of them.
    writer.Shuffle(&names);
    if (names.size() > 2) names.resize(2 + writer.Index(2));
  } else if (writer.OneIn(2)) {
    std::stable_sort(names.begin(), names.end(),
                     [](const Renaming& a, const Renaming& b) { return a.line < b.line; });
  }
  if (level == kReasoningFull && writer.OneIn(3)) {
    std::string table = writer.Choose("| [{from}|before|old] | [{to}|after|new] |[ line |]");
    const bool lines = table.ends_with("line ");
    table = FillPlaceholders(table, {{"from", PlatformOf(from)}, {"to", PlatformOf(to)}}) +
            (lines ? "|\n" : "\n");
    table += lines ? "| --- | --- | --- |\n" : "| --- | --- |\n";
    for (const Renaming& name : names) {
      table += "| `" + name.old + "` | `" + name.now + "` |" +
               (lines ? " line " + std::to_string(name.line) + " |" : "") + "\n";
    }
    return writer.OneIn(2) ? table + "\n" + OnKernels(to, &writer) + "\n\n"
                           : OnKernels(to, &writer) + "\n\n" + table + "\n";
  }
  std::vector<std::string> sentences;
  for (const Renaming& name : names) {
    sentences.push_back(OneRenaming(name, PlatformOf(from), PlatformOf(to), &writer));
  }
  const std::string same = OnKernels(to, &writer);
  if (writer.OneIn(2)) {
    sentences.insert(sentences.begin(), same);
  } else {
    sentences.push_back(same);
  }
  const bool list = level == kReasoningFull;
  const std::string bullet = writer.Choose("[- |* ]");
  std::string text;
  for (const std::string& sentence : sentences) {
    text += (text.empty() ? "" : list ? "\n" : " ") + (list ? bullet : "") + sentence;
  }
  return text + "\n\n";
}

}  // namespace

// One row per task at most: a pair of correct answers of equal structure, one for each backend, in
// one direction.
void WritePortRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  std::vector<std::pair<const KnownCandidate*, const KnownCandidate*>> pairs;
  for (const KnownCandidate& from : known.candidates) {
    for (const KnownCandidate& to : known.candidates) {
      if (from.candidate.IsAnswer() && to.candidate.IsTaught() && !from.candidate.structure.empty() &&
          from.candidate.structure == to.candidate.structure &&
          from.candidate.backend != to.candidate.backend) {
        pairs.emplace_back(&from, &to);
      }
    }
  }
  if (pairs.empty()) return;
  const Wording choice(known.id, known.seed);
  const auto& [from, to] = pairs[choice.Index("port", pairs.size())];
  const Wording wording = known.WordingFor(to->id, Family::kPort);
  WrittenRow row = NewRow(known, *to, Family::kPort);
  row.training.reasoning = ChooseReasoning(wording);
  const Prompt prompt = WritePrompt({.family = Family::kPort,
                                     .backend = to->candidate.backend,
                                     .reasoning = row.training.reasoning,
                                     .facts = {{"code", Fenced("python", from->candidate.code)},
                                               {"from", PlatformOf(from->candidate)}}},
                                    known, wording);
  row.training.prompt_template = prompt.name;
  row.inputs.push_back(from->id);
  const std::string reasoning =
      Reasoning(row.training.reasoning, from->candidate, to->candidate, wording);
  if (!reasoning.empty()) row.training.reasoning_author = kReasonedByRule;
  FinishRow(known, to->candidate, prompt.text, reasoning + Fenced("python", to->candidate.code),
            &row);
  rows->push_back(std::move(row));
}

}  // namespace kernelmill
