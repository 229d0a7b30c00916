#include "generators/fenced_code.h"
#include "generators/lowering/dialect.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/task_rows/families.h"

namespace kernelmill {
namespace {

std::string LastLine(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

// What the two programs call differently: sentences.
std::vector<std::string> Differences(const Candidate& from, const Candidate& to, Voice* voice) {
  const auto dialect = [](const Candidate& candidate) -> const Dialect& {
    return DialectOf(KernelBackendOf(candidate.backend));
  };
  const Dialect &old = dialect(from), &now = dialect(to);
  struct Name {
    std::string_view what;
    std::string old, now;
  };
  const Name names[] = {
      {"the loader", LastLine(old.loader_imports), LastLine(now.loader_imports)},
      {"the keyword for device code", std::string(old.sources), std::string(now.sources)},
      {"the keyword for the compiler's flags", std::string(old.flags), std::string(now.flags)},
      {"the device guard", std::string(old.guard), std::string(now.guard)},
      {"the stream", std::string(old.stream), std::string(now.stream)},
      {"the check of a launch", std::string(old.check), std::string(now.check)},
      {"the 16-bit brain float", std::string(old.bfloat16), std::string(now.bfloat16)}};
  std::vector<std::string> sentences;
  for (const Name& name : names) {
    if (name.old == name.now || from.code.find(name.old) == std::string::npos ||
        to.code.find(name.now) == std::string::npos) {
      continue;
    }
    sentences.push_back(voice->Say(
        {"`{old}` becomes `{now}`.", "[For|As] {what}: `{now}` [instead of|in place of] `{old}`.",
         "{what}, `{old}`, [turns into|is now|is spelled] `{now}`.",
         "Replace `{old}` by `{now}` ({what})."},
        {{"what", std::string(name.what)}, {"old", name.old}, {"now", name.now}}));
    std::string& sentence = sentences.back();
    if (sentence[0] == 't') sentence[0] = 'T';
  }
  return sentences;
}

std::string Reasoning(std::string_view level, const Candidate& from, const Candidate& to,
                      const Wording& wording) {
  if (level == kReasoningNone) return "";
  Voice voice(wording, "port");
  std::vector<std::string> sentences = Differences(from, to, &voice);
  std::vector<std::string> kernels;
  for (const DesignedKernel& plan : to.kernels) {
    for (const std::string& name : plan.kernels) kernels.push_back(name);
  }
  const std::string same = voice.Say(
      {"Unchanged: {kernels}, where [neither indices nor bounds nor arithmetic depend on the "
       "platform|nothing knows the platform].",
       "The kernel code itself ({kernels}) [carries over|is taken over] unchanged.",
       "[No line of|Nothing inside] {kernels} [has to change|needs to change]; only what surrounds "
       "the launch does."},
      {{"kernels", CodeList(kernels, 4)}});
  if (voice.OneIn(2)) {
    sentences.insert(sentences.begin(), same);
  } else {
    sentences.push_back(same);
  }
  const bool list = level == kReasoningFull;
  std::string text;
  for (const std::string& sentence : sentences) {
    text += (text.empty() ? "" : list ? "\n" : " ") + std::string(list ? "- " : "") + sentence;
  }
  return text + "\n\n";
}

}  // namespace

// Right answers of equal structure, one for each platform: one pair of a task, in one direction.
void WritePortRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  std::vector<std::pair<const KnownCandidate*, const KnownCandidate*>> pairs;
  for (const KnownCandidate& from : known.candidates) {
    for (const KnownCandidate& to : known.candidates) {
      if (from.IsAnswer() && to.IsAnswer() && !from.candidate.structure.empty() &&
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
  WrittenRow row = RowAbout(known, *to, Family::kPort);
  row.training.reasoning = ChooseReasoning(wording);
  const Prompt prompt =
      WritePrompt({.family = Family::kPort,
                   .backend = to->candidate.backend,
                   .reasoning = row.training.reasoning,
                   .facts = {{"code", Fenced("python", from->candidate.code)},
                             {"from", from->candidate.backend == "musa" ? "MUSA" : "CUDA"}}},
                  known, wording);
  row.training.prompt_template = prompt.name;
  row.inputs.push_back(from->id);
  const std::string reasoning =
      Reasoning(row.training.reasoning, from->candidate, to->candidate, wording);
  if (!reasoning.empty()) row.training.reasoning_author = kReasonedByRule;
  Finish(known, to->candidate, prompt.text, reasoning + Fenced("python", to->candidate.code), &row);
  rows->push_back(std::move(row));
}

}  // namespace kernelmill
