#include <algorithm>
#include <regex>
#include <set>

#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

// Whether a thread or a block starts the loop at an index of its own. A loop over tiles, whose
// steps all threads of the block do together, bounds no access: the conditions of its loads do.
bool StartsAtOwnIndex(const AnswerKernel& kernel, const KernelLoop& loop) {
  static const std::regex kName(R"([A-Za-z_]\w*)");
  const std::string& start = loop.start;
  if (start.find("threadIdx") != start.npos || start.find("blockIdx") != start.npos) return true;
  for (std::sregex_iterator at(start.begin(), start.end(), kName), end; at != end; ++at) {
    for (const ThreadIndex& index : kernel.facts.indices) {
      if (index.name == at->str() && index.expression.find("threadIdx") != std::string::npos) {
        return true;
      }
    }
  }
  return false;
}

// How the kernel keeps threads from accessing memory beyond the end: its first guard whose
// condition is not in `told` yet, or else the condition of its first loop.
std::string BoundSentence(const AnswerKernel& kernel, std::set<std::string>* told) {
  for (const KernelGuard& guard : kernel.facts.guards) {
    if (guard.condition.empty() || !told->insert(guard.condition).second) continue;
    if (!guard.leaves)
      return "In `" + kernel.name + "`, only threads with `" + guard.condition + "` store.";
    return "In `" + kernel.name + "`, threads with `" + guard.condition +
           "` return before they access memory.";
  }
  // A condition that another kernel has too was told there.
  if (!kernel.facts.guards.empty() || kernel.facts.loops.empty() ||
      kernel.facts.loops[0].condition.empty() || !StartsAtOwnIndex(kernel, kernel.facts.loops[0]))
    return "";
  const std::string& condition = kernel.facts.loops[0].condition;
  if (!told->insert(condition).second) return "";
  return "In `" + kernel.name + "`, the loop condition `" + condition +
         "` bounds the accesses; a thread whose first index is beyond the end does no iteration.";
}

}  // namespace

std::string BoundaryStep(const ReasoningSubject& subject) {
  const AnswerCode& code = subject.code;
  std::vector<std::string> sentences;
  std::set<std::string> told;
  for (const AnswerKernel& kernel : code.kernels) {
    if (told.size() >= subject.most_items) break;
    const std::string bound = BoundSentence(kernel, &told);
    if (!bound.empty()) sentences.push_back(bound);
  }
  if (code.limits_size && subject.most_items > 4) {
    sentences.push_back(
        "Positions are 32-bit integers, so the host code rejects tensors whose positions would "
        "overflow.");
  }
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

std::string ReductionStep(const ReasoningSubject& subject) {
  for (const AnswerKernel& kernel : subject.code.kernels) {
    const KernelFacts& facts = kernel.facts;
    std::string text;
    const auto add = [&](const std::string& sentence) {
      text += (text.empty() ? "" : " ") + sentence;
    };
    for (const KernelHelper& helper : facts.helpers) {
      if (helper.collectives.empty()) continue;
      add("In `" + kernel.name + "`, `" + helper.name +
          "` combines the partial results of the threads with " + CodeList(helper.collectives) +
          ".");
      break;
    }
    if (!facts.shared.empty()) {
      const SharedArray& array = facts.shared[0];
      add("The threads of a block share `" + (array.text.empty() ? array.name : array.text) + "`.");
    }
    if (!facts.barriers.empty() && !facts.shared.empty()) {
      const KernelCall& barrier = facts.barriers[0];
      add(barrier.in_loops > 0
              ? "`" + barrier.name +
                    "` in the loop separates the writes to it from the reads of other threads, in "
                    "every iteration; all threads of the block run equally many iterations."
              : "`" + barrier.name +
                    "` separates the writes to it from the reads of other threads.");
    }
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace kernelmill
