#include <algorithm>
#include <map>

#include "generators/operator_words.h"
#include "generators/reasoning/operator_formulas.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {

std::string ScalarStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "scalar");
  std::vector<std::string> sentences;
  std::vector<std::string_view> told;
  for (const DesignedKernel& kernel : subject.answer.kernels) {
    for (const std::string& name : kernel.operators) {
      if (sentences.size() >= subject.detail + 1) break;
      if (std::find(told.begin(), told.end(), name) != told.end()) continue;
      told.push_back(name);
      const std::string formula = FormulaOf(name);
      if (formula.empty()) continue;
      std::string sentence = voice.Say(
          {"`{op}` [is|means|stands for] `{formula}`.", "[An|One] element of `{op}`: `{formula}`.",
           "For `{op}` [a|each|every] thread [evaluates|computes|works out] `{formula}`.",
           "[Written|Put down] for one element, `{op}` [reads|is] `{formula}`.",
           "`{op}` [boils down|comes down|amounts] to `{formula}`.",
           "The [expression|formula|definition] of `{op}` is `{formula}`.",
           "In scalars, `{op}` → `{formula}`.",
           "`{op}`, [seen from|taken at] [one position|a single element]: `{formula}`."},
          {{"op", name}, {"formula", formula}});
      if (const std::string_view note = NoteOf(name); !note.empty()) {
        sentence.insert(sentence.size() - 1, ", " + std::string(note));
      }
      sentences.push_back(std::move(sentence));
    }
  }
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  if (sentences.size() > 1 && voice.OneIn(3)) {
    text +=
        " " + voice.Say({"[Substituting|Putting] one into the next gives what a thread computes.",
                         "[These|They] compose, and [a thread|one thread] can keep [every "
                         "intermediate|what lies between] in a register.",
                         "The order matters; the names of intermediates do not."});
  }
  return text;
}

}  // namespace kernelmill
