#include "generators/grounding/false_relations.h"

#include <algorithm>
#include <cctype>

#include "generators/grounding/relation_forms.h"
#include "generators/perturbation/bug.h"

namespace kernelmill {
namespace {

const std::vector<RelationForm>& AllForms() {
  static const std::vector<RelationForm> kForms = [] {
    std::vector<RelationForm> forms;
    AddCodeRelations(&forms);
    AddMeaningRelations(&forms);
    AddCostRelations(&forms);
    AddPerformanceRelations(&forms);
    return forms;
  }();
  return kForms;
}

bool Has(std::string_view sentence, const std::vector<std::string_view>& texts) {
  return std::all_of(texts.begin(), texts.end(),
                     [&](std::string_view text) { return sentence.find(text) != sentence.npos; });
}

// The kernels that a paragraph names first: "`k`: …", or "In `a` and `b`, …".
std::vector<std::string> KernelsOf(std::string* sentence) {
  if (sentence->starts_with('`')) {
    const std::size_t end = sentence->find("`: ", 1);
    const bool one = end != sentence->npos && sentence->find('`', 1) == end;
    if (!one) return {};
    std::string name = sentence->substr(1, end - 1);
    sentence->erase(0, end + 3);
    return {name};
  }
  if (!sentence->starts_with("In `")) return {};
  std::vector<std::string> names;
  std::string_view rest = std::string_view(*sentence).substr(3);
  while (rest.starts_with('`')) {
    const std::size_t end = rest.find('`', 1);
    if (end == rest.npos) break;
    names.emplace_back(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    for (const std::string_view between : {", ", " and "}) {
      if (rest.starts_with(between) && rest.substr(between.size()).starts_with('`')) {
        rest.remove_prefix(between.size());
        break;
      }
    }
  }
  return names;
}

// What the answer has to say about a bug: for the mutants of the row, the cause of one of them.
std::vector<std::string> FalseCauses(std::string_view markdown,
                                     const std::vector<const Candidate*>& about) {
  std::vector<std::string> causes;
  for (const Candidate* candidate : about) {
    const BugClass* const bug = FindBug(candidate->bug);
    if (bug != nullptr) causes.push_back(CauseIn(*bug, candidate->code));
  }
  if (causes.empty()) return {};
  const auto says = [&](std::string cause) {
    if (markdown.find(cause) != markdown.npos) return true;
    cause[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(cause[0])));
    return markdown.find(cause) != markdown.npos;
  };
  // A review of a right answer describes no bug, and its row has no mutant.
  if (!std::any_of(causes.begin(), causes.end(), says)) return {"another cause than the bug's"};
  return {};
}

}  // namespace

std::vector<std::string> FalseRelations(std::string_view markdown, const KnownTask& known,
                                        const std::vector<const Candidate*>& about) {
  std::vector<std::string> found = FalseCauses(markdown, about);
  std::vector<RowProgram> programs;
  for (const Candidate* candidate : about) programs.emplace_back(*candidate);
  for (std::vector<std::string>& paragraph : ParagraphsOf(markdown)) {
    std::vector<std::string> kernels;
    for (std::string& sentence : paragraph) {
      const std::string whole = sentence;
      if (std::vector<std::string> named = KernelsOf(&sentence); !named.empty()) {
        kernels = std::move(named);
      }
      bool states = false, holds = false;
      for (const RelationForm& form : AllForms()) {
        if (!Has(sentence, form.trigger)) continue;
        states = true;
        const auto slots = MatchSentence(form.pattern, sentence);
        for (std::size_t i = 0; slots && !holds && i < about.size(); ++i) {
          const KnownDevice& device = DeviceNamedIn(markdown, about[i]->backend);
          holds = form.holds({known, *about[i], programs[i], about, device, kernels}, *slots);
        }
        if (holds) break;
      }
      if (states && !holds) found.push_back("\"" + whole + "\"");
    }
  }
  return found;
}

}  // namespace kernelmill
