#include "generators/prompts/figure_lines.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

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
  const Prompt prompt = WritePrompt({.family = Family::kAnalyze,
                                     .backend = answer.backend,
                                     .facts = {{"code", Fenced("cuda", code.native)},
                                               {"kernels", CodeList(kernels, 3)},
                                               {"figures", FigureLines(answer.verdict, &writer)}}},
                                    known, wording);
  WrittenRow row = NewRow(known, item, Family::kAnalyze);
  row.training.prompt_template = prompt.name;
  const ReasoningSubject subject = {known, answer, code, wording, 2};
  struct Part {
    std::string text;
    SentenceVariants titles;
  };
  std::vector<Part> parts = {
      {TrafficStep(subject), {"[Traffic|Bytes|Work|Data moved]"}},
      {RooflineStep(subject), {"[Bound|Roofline|Limit|Intensity]"}},
      {MappingStep(subject), {"[Mapping|Threads|Launch|Who does what]"}},
      {ReductionStep(subject), {"[Exchange|Sharing|Cooperation]"}},
      {FiguresText(answer, wording), {"[Readings|Counters|Measured|Figures]"}}};
  std::erase_if(parts, [](const Part& part) { return part.text.empty(); });
  if (writer.OneIn(2)) writer.Shuffle(&parts);
  constexpr std::size_t kStyles = 5;  // Three of them have titles.
  const std::size_t style = writer.Index(kStyles);
  std::string text;
  for (const Part& part : parts) {
    const std::string title = writer.Say(part.titles);
    const std::string head = style == 0   ? "**" + title + "**\n\n"
                             : style == 1 ? title + ": "
                             : style == 2 ? "### " + title + "\n\n"
                                          : "";
    text += (text.empty() ? "" : "\n\n") + head + part.text;
  }
  FinishRow(known, answer, prompt.text, text, &row);
  rows->push_back(std::move(row));
}

}  // namespace kernelmill
