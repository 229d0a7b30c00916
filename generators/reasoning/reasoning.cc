#include "generators/reasoning/reasoning.h"

#include <algorithm>

#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

struct Step {
  std::string (*write)(const ReasoningSubject& subject);
  bool in_plan;         // Whether a plan can contain the step.
  std::size_t of_plan;  // One plan in so many contains it.
  std::vector<std::string_view> titles;
};

const std::vector<Step>& AllSteps() {
  static const std::vector<Step> kSteps = {
      {SemanticsStep,
       true,
       1,
       {"What it computes", "Semantics", "Meaning", "The operation", "What the module does",
        "The task", "Operators", "What has to happen", "Computation"}},
      {ScalarStep,
       true,
       3,
       {"One element", "In scalars", "The arithmetic", "Formula", "Mathematics of one element",
        "Per element", "Definitions", "Formulas", "What a thread evaluates"}},
      {ShapesStep,
       true,
       2,
       {"Shapes", "Extents", "Sizes", "Tensors", "Index space", "Inputs and outputs", "Data",
        "Dimensions", "What goes in and comes out"}},
      {GroupingStep,
       true,
       2,
       {"Kernels", "Division of work", "Fusion", "Functions", "Structure", "Calls", "Host code",
        "What to fuse", "Pieces"}},
      {MappingStep,
       true,
       1,
       {"Threads", "Index mapping", "Who computes what", "From threads to elements", "Mapping",
        "Launch", "Parallel structure", "Grid and threads", "Distribution"}},
      {ReductionStep,
       false,
       1,
       {"Reduction", "Merging partial results", "Cooperation", "Within a block", "Exchange",
        "Sharing", "Partial results"}},
      {BoundaryStep,
       true,
       2,
       {"Boundaries", "Edges", "Limits", "Guards", "Odd sizes", "Bounds", "The tail",
        "Where it ends"}},
      {NumericsStep,
       true,
       3,
       {"Numerics", "Precision", "Rounding", "Accuracy", "Number formats", "Floating point"}},
      {TrafficStep,
       true,
       3,
       {"Memory traffic", "Traffic", "Data movement", "Bytes", "Cost", "Work", "Bytes and FLOPs"}},
      {RooflineStep,
       false,
       1,
       {"Roofline", "What limits it", "The bottleneck", "Bound", "Intensity", "Limit"}},
      {PitfallStep,
       true,
       4,
       {"What could go wrong", "Likely mistakes", "Pitfalls", "Error analysis", "Watch out for",
        "Traps", "Checks", "Before I write it"}},
  };
  return kSteps;
}

struct Paragraph {
  std::string_view title;
  std::string text;
};

// Joins the paragraphs with titles, numbers or bullets as `style` says.
std::string LaidOut(const std::vector<Paragraph>& paragraphs, std::size_t style) {
  std::string text;
  int number = 0;
  for (const Paragraph& paragraph : paragraphs) {
    if (!text.empty()) text += style == 7 ? "\n" : "\n\n";
    const std::string title(paragraph.title);
    switch (style) {
      case 0:
        text += "**" + title + ".** ";
        break;
      case 1:
        text += "### " + title + "\n\n";
        break;
      case 2:
        text += std::to_string(++number) + ". " + title + ": ";
        break;
      case 3:
        text += "**" + std::to_string(++number) + ". " + title + "**\n\n";
        break;
      case 4:
        text += title + ". ";
        break;
      case 5:
        text += "#### " + std::to_string(++number) + " " + title + "\n";
        break;
      case 6:
        text += "*" + title + "* — ";
        break;
      case 7:
        text += "- " + title + ": ";
        break;
      default:
        break;
    }
    text += paragraph.text;
  }
  return text;
}

// Swaps some neighbouring paragraphs.
void Reorder(std::vector<Paragraph>* paragraphs, SentenceWriter* writer) {
  for (std::size_t i = 0; i + 1 < paragraphs->size(); ++i) {
    if (writer->OneIn(5)) std::swap((*paragraphs)[i], (*paragraphs)[i + 1]);
  }
}

std::string FirstSentences(const std::string& text, int count) {
  std::size_t at = 0;
  const std::size_t line = std::min(text.find('\n'), text.size());
  bool code = false;
  for (; at < line; ++at) {
    if (text[at] == '`') code = !code;
    const bool ends = !code && text[at] == '.' && (at + 1 == line || text[at + 1] == ' ');
    if (ends && --count == 0) return text.substr(0, at + 1);
  }
  return text.substr(0, line);
}

std::string Plan(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "plan");
  std::vector<std::string> points;
  for (const Step& step : AllSteps()) {
    const bool chosen = writer.OneIn(step.of_plan);
    if (!step.in_plan || !chosen) continue;
    const std::string text =
        FirstSentences(step.write(subject), subject.most_items > 3 && writer.OneIn(2) ? 2 : 1);
    if (!text.empty()) points.push_back(text);
  }
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (writer.OneIn(4)) std::swap(points[i], points[i + 1]);
  }
  constexpr std::size_t kLists = 3, kStyles = 6;  // The styles from kLists on are paragraphs.
  const std::size_t style = writer.Index(kStyles);
  std::string plan;
  if (style < kLists) {
    plan =
        writer.Say({"[Plan|Outline|Design|Approach|Steps|Sketch][ for `{function}`|]:",
                    "[How I will do it|The approach|Before the code|What I do|In short]:", "", ""},
                   {{"function", subject.answer.kernels[0].function}});
    if (!plan.empty()) plan += "\n\n";
  }
  int number = 0;
  const std::string bullet = writer.Choose("[- |* ]");
  for (const std::string& point : points) {
    const std::string head = style == 0   ? bullet
                             : style == 1 ? std::to_string(++number) + ". "
                             : style == 2 ? std::to_string(++number) + ") "
                                          : "";
    const bool first = &point == &points.front();
    const std::string_view between = style < kLists ? "\n" : style == kLists ? "\n\n" : " ";
    plan += (first ? "" : std::string(between)) + head + point;
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
  SentenceWriter writer(wording, "layout");
  std::vector<Paragraph> paragraphs;
  for (const Step& step : AllSteps()) {
    std::string text = step.write(subject);
    const std::string_view title = step.titles[writer.Index(step.titles.size())];
    if (!text.empty()) paragraphs.push_back({title, std::move(text)});
  }
  Reorder(&paragraphs, &writer);
  constexpr std::size_t kLayouts = 11;  // The ones that LaidOut() does not know have no titles.
  return LaidOut(paragraphs, writer.Index(kLayouts));
}

}  // namespace kernelmill
