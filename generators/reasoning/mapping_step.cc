#include <algorithm>
#include <cctype>
#include <set>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/strategy_alternatives.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

std::string LoopSentence(const KernelLoop& loop) {
  return "Each thread starts its loop over `" + loop.variable + "` at `" + loop.start +
         "` and continues with `" + loop.update + "` while `" + loop.condition + "`.";
}

// A sentence that quotes the code of the plan's kernels: a loop over the work, or the index.
std::string CodeSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  for (const AnswerKernel& kernel : subject.code.kernels) {
    if (kernel.plan != &plan) continue;
    for (const KernelLoop& loop : kernel.facts.loops) {
      const bool complete = !loop.start.empty() && !loop.condition.empty() && !loop.update.empty();
      if (loop.kind != KernelLoop::Kind::kThreadStart && complete) return LoopSentence(loop);
    }
    // The first index that places the thread in the whole grid.
    for (const ThreadIndex& index : kernel.facts.indices) {
      const bool own = index.expression.find("threadIdx") != index.expression.npos &&
                       index.expression.find("blockIdx") != index.expression.npos;
      if (index.name.empty() || !own) continue;
      return "In the code the index is `" + index.name + " = " + index.expression + "`.";
    }
  }
  return "";
}

// Whether thread t of block b computes element b * threads + t of the only result.
bool OneElementEach(const ReasoningSubject& subject, const DesignedKernel& plan) {
  const bool one_each =
      plan.strategy == "one_thread_an_element" || plan.strategy == "gather_an_element";
  const Annotation& facts = subject.known.facts;
  if (!one_each || plan.threads <= 0 || subject.answer.kernels.size() > 1 ||
      facts.outputs.size() != 1) {
    return false;
  }
  // A view of the kernel's result may drop some of its elements.
  return std::none_of(facts.operators.begin(), facts.operators.end(),
                      [](const OperatorCall& call) { return ComputesNothing(call.name); });
}

// How many blocks the output needs with one element per thread, and how full the last is.
std::string BlockCountSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  if (!OneElementEach(subject, plan)) return "";
  const std::int64_t elements = ElementsIn(subject.known.facts.outputs[0].shape);
  const std::int64_t rest = elements % plan.threads;
  const std::int64_t blocks = (elements + plan.threads - 1) / plan.threads;
  std::string text = "For " + subject.Style().Count(elements) + " elements that is " +
                     CountText(blocks) + (blocks == 1 ? " block" : " blocks");
  if (rest == 0) return text + ", all of them full.";
  return text + (blocks == 1 ? ", in which " : "; in the last one ") + std::to_string(rest) +
         " threads have an element.";
}

std::string LaunchSentence(const ReasoningSubject& subject, const DesignedKernel& plan) {
  if (plan.grid.empty() || plan.threads <= 0 || !subject.code.HasNamesOf(plan.grid)) return "";
  const std::string threads = std::to_string(plan.threads);
  if (plan.grid == "1") return "The launch has one block of " + threads + " threads.";
  // "(x, y)" is a grid of several dimensions.
  const bool several = plan.grid.starts_with('(') && plan.grid.ends_with(')') &&
                       plan.grid.find(", ") != plan.grid.npos;
  return several ? "The grid is `" + plan.grid + "`, with " + threads + " threads per block."
                 : "The launch has `" + plan.grid + "` blocks of " + threads + " threads.";
}

// The kernels of all plans that divide their work as `plan` does.
std::vector<std::string> KernelsLike(const Candidate& answer, const DesignedKernel& plan) {
  std::vector<std::string> names;
  for (const DesignedKernel& other : answer.kernels) {
    if (other.strategy != plan.strategy || other.mapping != plan.mapping) continue;
    for (const std::string& name : other.kernels) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string MappingParagraph(const ReasoningSubject& subject, const DesignedKernel& plan) {
  constexpr std::size_t kMostNames = 3;
  std::string text =
      "In " + CodeList(KernelsLike(subject.answer, plan), kMostNames) + ", " + plan.mapping + ".";
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) text += " " + sentence;
  };
  add(CodeSentence(subject, plan));
  add(LaunchSentence(subject, plan));
  add(BlockCountSentence(subject, plan));
  return text;
}

}  // namespace

std::string MappingStep(const ReasoningSubject& subject) {
  std::string text;
  std::set<std::string> told;
  for (const DesignedKernel& plan : subject.answer.kernels) {
    if (told.size() >= subject.most_items) break;
    if (plan.mapping.empty() || !told.insert(plan.strategy).second) continue;
    text += (text.empty() ? "" : "\n\n") + MappingParagraph(subject, plan);
  }
  return text;
}

std::string ChoiceStep(const ReasoningSubject& subject) {
  std::string text;
  std::set<std::string> told;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : "\n") + ("- " + sentence);
  };
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  for (const DesignedKernel& plan : plans) {
    for (const DesignReason& reason : plan.reasons) {
      if (told.size() > subject.most_items || !told.insert(reason.choice).second) continue;
      // One colon in a sentence is enough.
      std::string why = reason.why;
      if (const std::size_t colon = why.find(": "); colon != why.npos) why[colon] = ';';
      add(Capital(ChoiceInWords(reason.choice)) + ": " + why + ".");
    }
    const std::string alternative(AlternativeTo(plan.strategy));
    if (!alternative.empty() && told.insert(alternative).second) {
      const std::string rest =
          static_cast<char>(std::tolower(alternative[0])) + alternative.substr(1);
      add((plans.size() > 1 ? "Alternative to " + CodeList(plan.kernels) + ": " : "Alternative: ") +
          rest);
    }
  }
  return text;
}

}  // namespace kernelmill
