#include "generators/prompts/figure_lines.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/finding_words.h"
#include "generators/reasoning/performance_findings.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"
#include "generators/wording/han_spacing.h"

namespace kernelmill {

// Analyses one answer of the task; analyses of the others would be much the same.
void WriteAnalyzeRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  std::vector<const KnownCandidate*> answers;
  for (const KnownCandidate& item : known.candidates) {
    if (item.candidate.IsTaught() && PlannedBytes(item.candidate) > 0) answers.push_back(&item);
  }
  if (answers.empty()) return;
  const Wording choice(known.id, known.seed);
  const KnownCandidate& item = *answers[choice.Index("analyze", answers.size())];
  const Candidate& answer = item.candidate;
  const AnswerCode code = ReadAnswerCode(answer);
  if (code.kernels.empty()) return;
  const Wording wording = known.WordingFor(item.id, Family::kAnalyze);
  std::vector<std::string> kernels;
  for (const AnswerKernel& kernel : code.kernels) kernels.push_back(kernel.name);
  SentenceWriter writer(wording, "analyze");
  const std::string figures = FigureLines(answer.verdict, &writer);
  const Prompt prompt =
      WritePrompt({.family = Family::kAnalyze,
                   .backend = answer.backend,
                   .facts = {{"code", Fenced("cuda", code.native)},
                             {"kernels", CodeList(kernels, 3)},
                             {"figures_title", figures.empty() ? "" : "Figures of one call:"},
                             {"figures_title_zh", figures.empty() ? "" : "一次调用的计数："},
                             {"figures", figures}}},
                  known, wording);
  WrittenRow row = NewRow(known, item, Family::kAnalyze);
  row.training.prompt_template = prompt.name;
  const ReasoningSubject subject = {known, answer, code, wording, 2, true};
  const FindingWords& words = FindingWordsIn(prompt.language);
  const bool titled = writer.OneIn(2);
  std::string text;
  const bool asks_worth = prompt.name.find("colleague") != prompt.name.npos;
  for (const auto& [title, part] :
       {std::pair(words.title_worth,
                  asks_worth ? WorthText(subject, prompt.language) : std::string()),
        std::pair(words.title_bound, BoundText(subject, prompt.language)),
        std::pair(words.title_mapping, ThreadsText(subject, prompt.language)),
        std::pair(words.title_counters, CountersText(subject, prompt.language)),
        std::pair(words.title_advice, AdviceText(subject, prompt.language))}) {
    if (part.empty()) continue;
    text += (text.empty() ? "" : "\n\n") +
            (titled ? "**" + std::string(title) + "**\n\n" : std::string()) + part;
  }
  if (prompt.language == PromptLanguage::kChinese) text = WithSpacesAroundLatin(text);
  FinishRow(known, answer, prompt, text, &row);
  rows->push_back(std::move(row));
}

}  // namespace kernelmill
