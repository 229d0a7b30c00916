#include <algorithm>

#include "generators/reasoning/operator_formulas.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/operator_words.h"

namespace kernelmill {
namespace {

std::string Definition(const std::string& name, const std::string& formula,
                       SentenceWriter* writer) {
  std::string sentence = writer->Say(
      {"`{op}` [is|means|stands for|:=|says] `{formula}`.",
       "[An|One|Each|A single] [element|value|result] of `{op}`: `{formula}`.",
       "For `{op}` [a|each|every|one] thread [evaluates|computes|works out|needs|takes] "
       "`{formula}`.",
       "[Written|Put down|Spelled out|Taken] for one [element|position], `{op}` [reads|is|gives] "
       "`{formula}`.",
       "`{op}` [boils down|comes down|amounts|reduces] to `{formula}`.",
       "The [expression|formula|definition|arithmetic] [of|behind|for] `{op}` is `{formula}`.",
       "[In scalars|Per element|As a formula|In symbols], `{op}` [→|is|becomes] `{formula}`.",
       "`{op}`, [seen from|taken at|looked at in] [one position|a single element|one place]: "
       "`{formula}`.",
       "`{formula}` [is|gives|defines|comes from] `{op}`.",
       "[Use|Take|It takes|We need] `{formula}` for `{op}`."},
      {{"op", name}, {"formula", formula}});
  if (const std::string_view note = NoteOf(name); !note.empty() && writer->OneIn(3)) {
    sentence.insert(sentence.size() - 1, ", " + std::string(note));
  }
  return sentence;
}

// A sentence that quotes a line of a kernel.
std::string InCode(const ReasoningSubject& subject, SentenceWriter* writer) {
  const auto& kernels = subject.code.kernels;
  if (kernels.empty()) return "";
  const AnswerKernel& kernel = kernels[writer->Index(kernels.size())];
  const std::vector<std::string> lines = StatementsOf(subject.code, kernel);
  if (lines.empty()) return "";
  return writer->Say(
      {"[In code|As code|In the kernel|Written out|So the kernel says]: `{line}`.",
       "{kernel} [has|gets|contains|needs] `{line}`[ for that| for it|].",
       "[That|This] [becomes|turns into|shows up as|leads to] `{line}`[ in {kernel}|].",
       "A [line|statement] of {kernel}[:|is] `{line}`.",
       "`{line}` [is|will be|stands] [in|part of|among the lines of] {kernel}.",
       "The line `{line}` [does [a|its] part of it|belongs here|comes from that]."},
      {{"kernel", KernelReference(subject.code, kernel.name, writer)},
       {"line", lines[writer->Index(lines.size())]}});
}

}  // namespace

std::string ScalarStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "scalar");
  std::vector<std::string> sentences;
  std::vector<std::string_view> told;
  for (const DesignedKernel& kernel : subject.answer.kernels) {
    for (const std::string& name : kernel.operators) {
      if (sentences.size() > subject.most_items) break;
      if (std::find(told.begin(), told.end(), name) != told.end()) continue;
      told.push_back(name);
      const std::string formula = FormulaOf(name);
      // Mostly leave out long formulas, which are textbook definitions.
      constexpr std::size_t kLong = 40;
      const bool told_elsewhere = formula.size() > kLong && !writer.OneIn(6);
      if (!formula.empty() && !told_elsewhere) {
        sentences.push_back(Definition(name, formula, &writer));
      }
    }
  }
  if (!sentences.empty() && writer.Index(4) == 0) writer.Shuffle(&sentences);
  if (writer.Index(3) > 0) {
    const std::string line = InCode(subject, &writer);
    if (!line.empty()) sentences.push_back(line);
  }
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

}  // namespace kernelmill
