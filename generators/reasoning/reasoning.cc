#include "generators/reasoning/reasoning.h"

#include <algorithm>

#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/running_statistics.h"

namespace kernelmill {
namespace {

struct Step {
  std::string (*write)(const ReasoningSubject& subject);
  std::size_t in_plan;  // How many sentences of the step's first line a plan contains.
  std::string_view title;
};

constexpr std::size_t kAll = 100;  // More sentences than a line has.

// What a plan says of the limit: how much is moved and computed, and what limits a call.
constexpr std::size_t kBrief = 101;

std::string StateStep(const ReasoningSubject& subject) {
  return RunningStatisticsText(subject.answer);
}

// The six steps from the module to its kernels, with what limits them, and then the choice. A step
// without anything to say is left out.
const std::vector<Step>& AllSteps() {
  static const std::vector<Step> kSteps = {
      {SemanticsStep, 0, "What the module computes"},
      {ScalarStep, 0, "One element"},
      {ShapesStep, 0, "Shapes"},
      {GroupingStep, 2, "Fusion"},
      {LimitStep, kBrief, "What limits it"},
      {MappingStep, 2, "Index mapping"},
      {ReductionStep, 0, "Cooperation within a block"},
      {BoundaryStep, 0, "Boundaries"},
      {NumericsStep, 1, "Rounding"},
      {PitfallStep, 0, "Likely mistakes"},
      {StateStep, kAll, "State of the module"},
      {ChoiceStep, 0, "Design choices"},
      {AlternativesStep, 2, "Alternatives"},
      {EstimateStep, kAll, "Estimate"},
  };
  return kSteps;
}

// So many sentences of the first line.
std::string FirstSentences(const std::string& text, std::size_t count) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  bool code = false;
  for (std::size_t at = 0; at < line; ++at) {
    if (text[at] == '`') code = !code;
    const bool ends = !code && text[at] == '.' && (at + 1 == line || text[at + 1] == ' ');
    if (ends && --count == 0) return text.substr(0, at + 1);
  }
  return text.substr(0, line);
}

// The first line without what a plan can do without; what the numbers leave out stays.
std::string Brief(const std::string& text) {
  constexpr std::string_view kLong[] = {"counts as one of them", "as in eager mode",
                                        "arithmetic intensity", "The largest part"};
  std::string brief;
  for (std::string rest = text.substr(0, text.find('\n')); !rest.empty();) {
    const std::string sentence = FirstSentences(rest, 1);
    rest.erase(0, std::min(rest.size(), sentence.size() + 1));
    const bool needless = std::any_of(std::begin(kLong), std::end(kLong), [&](auto part) {
      return sentence.find(part) != sentence.npos;
    });
    if (!needless) brief += (brief.empty() ? "" : " ") + sentence;
  }
  return brief;
}

// A few sentences: what is fused, what limits a call, the first kernel's mapping with its price,
// and what the estimate says.
std::string Plan(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "plan");
  std::vector<std::string> points;
  for (const Step& step : AllSteps()) {
    if (step.in_plan == 0) continue;
    const std::string whole = step.write(subject);
    std::string text = step.in_plan == kBrief ? Brief(whole) : FirstSentences(whole, step.in_plan);
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
                           const Wording& wording, const KnownDevice& device) {
  if (level == kReasoningNone) return "";
  const AnswerCode code = ReadAnswerCode(answer);
  const double difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, &answer),
                                         EstimateTokens("```\n" + answer.code + "```\n"));
  constexpr double kMostDetail = 8;
  const ReasoningSubject subject = {
      known, answer, code, wording, 2 + static_cast<std::size_t>(difficulty * kMostDetail),
      false, &device};
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
