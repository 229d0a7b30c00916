#include <set>

#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {

std::string BoundaryStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "boundary");
  const AnswerCode& code = subject.code;
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  std::set<std::string> told;
  for (const AnswerKernel& kernel : code.kernels) {
    if (told.size() >= subject.detail) break;
    bool guarded = false;
    for (const KernelGuard& guard : kernel.facts.guards) {
      if (guard.condition.empty() || !told.insert(guard.condition).second) continue;
      guarded = true;
      add(guard.leaves
              ? voice.Say(
                    {"The last block may reach past the end: `{condition}` sends such threads "
                     "home.",
                     "`if ({condition}) return;` keeps surplus threads away from memory.",
                     "Threads without work leave at `{condition}`.",
                     "In `{kernel}` the guard is `{condition}`.",
                     "No access comes before `{condition}` has been asked."},
                    {{"condition", guard.condition}, {"kernel", kernel.name}})
              : voice.Say({"Only threads with `{condition}` store.",
                           "`{condition}` encloses what not every thread may do.",
                           "A store in `{kernel}` stands behind `{condition}`.",
                           "The condition `{condition}` picks the threads that write."},
                          {{"condition", guard.condition}, {"kernel", kernel.name}}));
      break;
    }
    if (guarded || kernel.facts.loops.empty()) continue;
    const KernelLoop& loop = kernel.facts.loops[0];
    if (loop.condition.empty() || !told.insert(loop.condition).second) continue;
    add(voice.Say({"The loop condition `{condition}` is the bound of `{kernel}`.",
                   "`{kernel}` needs no separate guard, for `{condition}` ends its loop.",
                   "Bounds in `{kernel}` come from `{condition}`.",
                   "A thread that has nothing to do fails `{condition}` at once."},
                  {{"condition", loop.condition}, {"kernel", kernel.name}}));
  }
  if (code.returns_early && !voice.OneIn(3)) {
    add(voice.Say({"An empty result is returned before anything is launched.",
                   "A launch of no blocks would be an error, so the host returns early when there "
                   "are no elements.",
                   "Tensors without elements never reach a kernel.",
                   "With nothing to compute, nothing is launched."}));
  }
  if (code.limits_size && voice.OneIn(2)) {
    add(voice.Say(
        {"The host refuses tensors whose positions would not fit the index type.",
         "Positions are 32-bit, and a check on the host says so before they can overflow.",
         "Larger tensors than the index type can number are turned away with a message."}));
  }
  if (code.contiguous && !voice.OneIn(3)) {
    add(
        voice.Say({"Strided inputs are made contiguous first, so the address arithmetic holds for "
                   "them too.",
                   "`.contiguous()` on the host settles the layout.",
                   "Whatever the layout of the arguments, the kernel sees row-major memory.",
                   "Views and transposed inputs are copied into row-major order by the host."}));
  }
  return text;
}

std::string ReductionStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "reduction");
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  for (const AnswerKernel& kernel : subject.code.kernels) {
    const KernelFacts& facts = kernel.facts;
    if (!facts.shared.empty()) {
      add(voice.Say(
          {"`{kernel}` shares `{array}` within a block.", "Threads of a block meet in `{array}`.",
           "What one thread of `{kernel}` knows reaches others through `{array}`.",
           "Exchange happens in `{array}`."},
          {{"kernel", kernel.name}, {"array", facts.shared[0].text}}));
    }
    for (const KernelHelper& helper : facts.helpers) {
      if (helper.collectives.empty()) continue;
      add(voice.Say(
          {"`{helper}` merges partial results with {calls}.",
           "Partial results are combined by `{helper}`, which rests on {calls}.",
           "The merge is `{helper}` ({calls}).", "{calls} do the exchange inside `{helper}`."},
          {{"helper", helper.name}, {"calls", CodeList(helper.collectives)}}));
      break;
    }
    if (!facts.barriers.empty() && facts.barriers[0].in_loops > 0) {
      add(voice.Say(
          {"The barrier stands in a loop that all threads of the block run equally often.",
           "Barriers inside the loop separate writing a tile from reading it.",
           "Each round needs its barriers: nobody may overwrite what others still read."}));
    } else if (!facts.barriers.empty()) {
      add(voice.Say({"A barrier stands between writing shared memory and reading it.",
                     "`{barrier}` orders the exchange.",
                     "Without `{barrier}` a thread could read what has not been written."},
                    {{"barrier", facts.barriers[0].name}}));
    }
    if (!text.empty()) return text;
  }
  return text;
}

}  // namespace kernelmill
