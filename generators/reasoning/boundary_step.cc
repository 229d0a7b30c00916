#include <set>

#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

// The first guard of a kernel that was not spoken of, or its loop's condition.
std::string BoundOf(const AnswerKernel& kernel, std::set<std::string>* told, Voice* voice) {
  for (const KernelGuard& guard : kernel.facts.guards) {
    if (guard.condition.empty() || !told->insert(guard.condition).second) continue;
    const SentenceValues values = {{"condition", guard.condition}, {"kernel", kernel.name}};
    if (!guard.leaves) {
      return voice->Say({"Only threads with `{condition}` [store|write].",
                         "`{condition}` [encloses|surrounds] what not every thread may do.",
                         "[A|The] store in `{kernel}` stands behind `{condition}`.",
                         "The condition `{condition}` [picks|selects] the threads that write."},
                        values);
    }
    return voice->Say(
        {"The last block may reach [past|beyond] the end: `{condition}` sends such "
         "threads home.",
         "`if ({condition}) return;` keeps [surplus|superfluous] threads [away from|out "
         "of] memory.",
         "Threads without work [leave|return] at `{condition}`.",
         "In `{kernel}` the guard is `{condition}`.",
         "No access [comes|happens] before `{condition}` has been [asked|tested]."},
        values);
  }
  if (kernel.facts.loops.empty() || kernel.facts.loops[0].condition.empty()) return "";
  const std::string& condition = kernel.facts.loops[0].condition;
  if (!told->insert(condition).second) return "";
  return voice->Say(
      {"The loop condition `{condition}` is the [bound|limit] of `{kernel}`.",
       "`{condition}` [ends|bounds] the loop of `{kernel}`.",
       "Bounds in `{kernel}` [come from|are] `{condition}`.",
       "A thread that has nothing to do [fails|stops at] `{condition}` [at once|right "
       "away]."},
      {{"condition", condition}, {"kernel", kernel.name}});
}

}  // namespace

std::string BoundaryStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "boundary");
  const AnswerCode& code = subject.code;
  std::string text;
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
  };
  std::set<std::string> told;
  for (const AnswerKernel& kernel : code.kernels) {
    if (told.size() < subject.detail) add(BoundOf(kernel, &told, &voice));
  }
  if (code.returns_early && voice.OneIn(5)) {
    add(voice.Say({"An empty result is [returned|handed back] before anything is launched.",
                   "A launch of no blocks would be an error, so the host returns early when there "
                   "are no elements.",
                   "Tensors without elements never [reach|get to] a kernel.",
                   "With nothing to compute, [nothing is launched|no kernel runs]."}));
  }
  if (code.limits_size && voice.OneIn(8)) {
    add(voice.Say(
        {"The host [refuses|rejects] tensors whose positions would not fit the index type.",
         "Positions are 32-bit, and a check on the host [says so|stops] before they can "
         "overflow.",
         "Larger tensors than the index type can number are turned away [with a message|by "
         "`TORCH_CHECK`]."}));
  }
  if (code.contiguous && voice.OneIn(5)) {
    add(
        voice.Say({"Strided inputs are made contiguous first, so the address arithmetic holds for "
                   "them too.",
                   "`.contiguous()` [on the host|in the host function] [settles|takes care of] the "
                   "layout.",
                   "Whatever the layout of the arguments, [the kernel|a kernel] sees row-major "
                   "memory.",
                   "Views and transposed inputs are [copied|brought] into row-major order by the "
                   "host."}));
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
          {"`{kernel}` shares `{array}` within a block.",
           "Threads of a block [meet in|exchange through] `{array}`.",
           "What one thread of `{kernel}` knows [reaches|gets to] others through `{array}`.",
           "[Exchange|Communication] happens in `{array}`."},
          {{"kernel", kernel.name}, {"array", facts.shared[0].text}}));
    }
    for (const KernelHelper& helper : facts.helpers) {
      if (helper.collectives.empty()) continue;
      add(voice.Say(
          {"`{helper}` [merges|combines] partial results with {calls}.",
           "Partial results are [combined|merged] by `{helper}`, which [rests on|uses] "
           "{calls}.",
           "The merge is `{helper}` ({calls}).", "Inside `{helper}` the exchange is {calls}."},
          {{"helper", helper.name}, {"calls", CodeList(helper.collectives)}}));
      break;
    }
    const bool speak_of_barriers = !facts.barriers.empty() && voice.OneIn(3);
    if (speak_of_barriers && facts.barriers[0].in_loops > 0) {
      add(voice.Say(
          {"The barrier stands in a loop that all threads of the block run equally often.",
           "Barriers inside the loop separate writing [a tile|a piece] from reading it.",
           "Each round needs its barriers: nobody may overwrite what others still read."}));
    } else if (speak_of_barriers) {
      add(voice.Say({"A barrier stands between writing shared memory and reading it.",
                     "`{barrier}` [orders|separates the halves of] the exchange.",
                     "Without `{barrier}` a thread could read what [has not been|is not yet] "
                     "written."},
                    {{"barrier", facts.barriers[0].name}}));
    }
    if (!text.empty()) return text;
  }
  return text;
}

}  // namespace kernelmill
