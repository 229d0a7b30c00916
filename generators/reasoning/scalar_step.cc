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
          {"`{op}` is `{formula}`.", "An element of `{op}`: `{formula}`.",
           "For `{op}` a thread evaluates `{formula}`.", "`{op}` means `{formula}`.",
           "Written for one element, `{op}` reads `{formula}`.",
           "`{op}` boils down to `{formula}`.", "The expression of `{op}` is `{formula}`.",
           "In scalars, `{op}` → `{formula}`.", "`{formula}` is all that `{op}` does to a value.",
           "`{op}`, seen from one position: `{formula}`."},
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
    text += " " + voice.Say({"Substituting one into the next gives what a thread computes.",
                             "These compose, and a thread can keep every intermediate in a "
                             "register.",
                             "Chained, they need no memory between them where one kernel holds "
                             "them.",
                             "The order matters; the names of intermediates do not."});
  }
  return text;
}

}  // namespace kernelmill
