#include <algorithm>

#include "generators/reasoning/operator_formulas.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/operator_words.h"

namespace kernelmill {

std::string ScalarStep(const ReasoningSubject& subject) {
  std::vector<std::string> definitions;
  std::vector<std::string_view> told;
  std::string notes;
  for (const DesignedKernel& kernel : subject.answer.kernels) {
    for (const std::string& name : kernel.operators) {
      if (definitions.size() > subject.most_items) break;
      if (std::find(told.begin(), told.end(), name) != told.end()) continue;
      told.push_back(name);
      const std::string formula = FormulaOf(name);
      if (formula.empty()) continue;
      definitions.push_back("`" + name + "` computes `" + formula + "`");
      // Notes are clauses: "which is the sigmoid of 1.702 a".
      if (const std::string_view note = NoteOf(name); !note.empty()) {
        definitions.back() += ", " + std::string(note);
      }
    }
  }
  if (definitions.empty()) return "";
  std::string text = "For one element: ";
  for (std::size_t i = 0; i < definitions.size(); ++i) text += (i > 0 ? "; " : "") + definitions[i];
  return text + ".";
}

}  // namespace kernelmill
