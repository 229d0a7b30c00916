#include "generators/reasoning/reasoning.h"

#include <algorithm>

#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

struct Step {
  std::string (*write)(const ReasoningSubject& subject);
  bool in_plan;  // Whether a plan contains the step's first sentence.
  std::string_view title;
};

// The six steps from the module to its kernels, and then the choice. A step without anything to say
// is left out.
const std::vector<Step>& AllSteps() {
  static const std::vector<Step> kSteps = {
      {SemanticsStep, true, "What the module computes"},
      {ScalarStep, false, "One element"},
      {ShapesStep, false, "Shapes"},
      {MappingStep, true, "Index mapping"},
      {ReductionStep, false, "Cooperation within a block"},
      {BoundaryStep, true, "Boundaries"},
      {NumericsStep, true, "Rounding"},
      {PitfallStep, false, "Likely mistakes"},
      {GroupingStep, true, "Fusion"},
      {TrafficStep, true, "Cost"},
      {RooflineStep, false, "Bound"},
      {ChoiceStep, false, "Choices and alternatives"},
  };
  return kSteps;
}

std::string FirstSentence(const std::string& text) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  bool code = false;
  for (std::size_t at = 0; at < line; ++at) {
    if (text[at] == '`') code = !code;
    const bool ends = !code && text[at] == '.' && (at + 1 == line || text[at + 1] == ' ');
    if (ends) return text.substr(0, at + 1);
  }
  return text.substr(0, line);
}

// A few sentences: what is computed, what is fused, and each kernel's mapping.
std::string Plan(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "plan");
  std::vector<std::string> points;
  for (const Step& step : AllSteps()) {
    if (!step.in_plan) continue;
    std::string text = FirstSentence(step.write(subject));
    if (!text.empty()) points.push_back(std::move(text));
  }
  const bool listed = writer.OneIn(2);
  std::string plan;
  for (const std::string& point : points) {
    plan += (plan.empty() ? "" : listed ? "\n" : " ") + std::string(listed ? "- " : "") + point;
  }
  return plan;
}

}  // namespace

std::string_view ChooseReasoning(const Wording& wording) {
  const std::size_t tenth = wording.Index("reasoning", 10);
  return tenth < 3 ? kReasoningNone : tenth < 8 ? kReasoningPlan : kReasoningFull;
}

std::string WriteReasoning(std::string_view level, const KnownTask& known, const Candidate& answer,
                           const Wording& wording) {
  if (level == kReasoningNone) return "";
  const AnswerCode code = ReadAnswerCode(answer);
  const double difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, &answer),
                                         EstimateTokens("```\n" + answer.code + "```\n"));
  constexpr double kMostDetail = 8;
  const ReasoningSubject subject = {known, answer, code, wording,
                                    2 + static_cast<std::size_t>(difficulty * kMostDetail)};
  if (level == kReasoningPlan) return Plan(subject);
  // Headings or numbers; both name the step.
  const bool headings = wording.Index("layout", 2) == 0;
  std::string text;
  int number = 0;
  for (const Step& step : AllSteps()) {
    const std::string paragraph = step.write(subject);
    if (paragraph.empty()) continue;
    const std::string title(step.title);
    text += (text.empty() ? "" : "\n\n") +
            (headings ? "### " + title + "\n\n"
                      : "**" + std::to_string(++number) + ". " + title + "**\n\n") +
            paragraph;
  }
  return text;
}

}  // namespace kernelmill
