// Which thread computes what, in the languages of analyses.
#include <algorithm>

#include "generators/reasoning/finding_words.h"
#include "generators/reasoning/performance_findings.h"

namespace kernelmill {

std::string ThreadsText(const ReasoningSubject& subject, PromptLanguage language) {
  if (language != PromptLanguage::kChinese) return MappingStep(subject);
  // The sentences of plans are English; the code itself says which thread computes what.
  const FindingWords& words = FindingWordsIn(language);
  // Kernels with one index and launch are named together.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const AnswerKernel& kernel : subject.code.kernels) {
    for (const ThreadIndex& index : kernel.facts.indices) {
      if (index.expression.find("threadIdx") == index.expression.npos) continue;
      std::string said =
          FillPlaceholders(words.index, {{"index", index.name + " = " + index.expression}});
      if (!kernel.plan->grid.empty() && subject.code.HasNamesOf(kernel.plan->grid)) {
        said += FillPlaceholders(words.launch, {{"grid", kernel.plan->grid},
                                                {"threads", std::to_string(kernel.plan->threads)}});
      }
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const auto& one) { return one.first == said; });
      if (group == groups.end()) group = groups.insert(groups.end(), {said, {}});
      group->second.push_back("`" + kernel.name + "`");
      break;
    }
  }
  constexpr std::size_t kMostNames = 3;
  std::string text;
  for (const auto& [said, kernels] : groups) {
    std::string names;
    for (std::size_t i = 0; i < std::min(kernels.size(), kMostNames); ++i) {
      names += (i > 0 ? "、" : "") + kernels[i];
    }
    names += kernels.size() > kMostNames ? " 等核函数" : " ";
    text += (text.empty() ? "- " : "\n- ") + FillPlaceholders(said, {{"kernels", names}});
  }
  return text;
}

}  // namespace kernelmill
