#include <algorithm>
#include <set>

#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

// A sentence about the first guard of the kernel whose condition is not in `told` yet, or else
// about the condition of its first loop.
std::string BoundSentence(const AnswerCode& code, const AnswerKernel& kernel,
                          std::set<std::string>* told, SentenceWriter* writer) {
  for (const KernelGuard& guard : kernel.facts.guards) {
    if (guard.condition.empty() || !told->insert(guard.condition).second) continue;
    const SentenceValues values = {{"condition", guard.condition},
                                   {"kernel", KernelReference(code, kernel.name, writer)}};
    if (!guard.leaves) {
      return writer->Say(
          {"[Only|None but] threads with `{condition}` [store|write][ in {kernel}|].",
           "`{condition}` [encloses|surrounds|guards] what not every thread may do.",
           "[A|The] store in {kernel} [stands behind|depends on|is under] `{condition}`.",
           "The condition `{condition}` [picks|selects|tells] the threads that write.",
           "[Write|Store] [only |]where `{condition}`.",
           "[Stores|Writing]: under `{condition}`[, in {kernel}|]."},
          values);
    }
    return writer->Say(
        {"The last block [may reach|reaches|can lie] [past|beyond] the end: `{condition}` [sends "
         "such threads home|ends such threads|is the way out].",
         "`if ({condition}) return;` keeps [surplus|superfluous|idle] threads [away from|out of] "
         "memory[ in {kernel}|].",
         "Threads without work [leave|return|go] at `{condition}`[ in {kernel}|].",
         "[In|Of] {kernel} the [guard|check|exit] is `{condition}`.",
         "[No access|Nothing] [comes|happens] before `{condition}` has been [asked|tested|"
         "checked].",
         "[Guard|Bounds check|Exit][ of {kernel}|]: `{condition}`.",
         "{kernel} [turns away|drops|dismisses] threads with `{condition}`.",
         "[Where|If|When] `{condition}`, [a thread|the thread|it] [returns|leaves|has no "
         "element][; that covers the [tail|odd sizes]|]."},
        values);
  }
  if (kernel.facts.loops.empty() || kernel.facts.loops[0].condition.empty()) return "";
  const std::string& condition = kernel.facts.loops[0].condition;
  if (!told->insert(condition).second) return "";
  return writer->Say(
      {"The loop condition `{condition}` is the [bound|limit|guard] of {kernel}.",
       "`{condition}` [ends|bounds|limits|stops] the loop [of|in] {kernel}.",
       "[Bounds|Limits] in {kernel} [come from|are] `{condition}`.",
       "A thread that has nothing to do [fails|stops at|never passes] `{condition}`[ [at "
       "once|right "
       "away]|].",
       "[No guard beside the loop|The loop is the guard]: `{condition}`[ in {kernel}|].",
       "{kernel} [needs|has] no [guard|check] but `{condition}`[, in its loop|]."},
      {{"condition", condition}, {"kernel", KernelReference(code, kernel.name, writer)}});
}

// In some cases a sentence about how the host code handles empty tensors, large tensors or layouts.
std::string HostSentence(const AnswerCode& code, const std::string& input, SentenceWriter* writer) {
  const SentenceValues values = {{"input", input}};
  switch (writer->Index(16)) {
    case 0:
    case 1:
      if (!code.returns_early) return "";
      return writer->Say(
          {"An empty result [is [returned|handed back]|goes back] [before anything is launched|"
           "without a launch].",
           "[Zero|No] elements [would mean|mean] no blocks, [an error at launch|which no launch "
           "accepts][, so the host returns early|; the host returns before that].",
           "With `numel() == 0` [nothing is launched|no kernel runs|the host is done]."},
          values);
    case 2:
    case 3:
      if (!code.limits_size) return "";
      return writer->Say(
          {"The host [refuses|rejects|turns away] tensors whose positions [would not fit|exceed|"
           "outgrow] the index type.",
           "Positions are 32-bit, [and a check on the host [says so|stops] before they can "
           "overflow|so `TORCH_CHECK` asks for sizes first].",
           "[Tensors|Sizes] [beyond|past] the index type [end at|meet|fail] `TORCH_CHECK`."},
          values);
    case 4:
    case 5:
    case 6:
      if (!code.contiguous || input.empty()) return "";
      return writer->Say(
          {"[A strided|A transposed|A sliced] `{input}` is made contiguous [first|by the host], so "
           "the address arithmetic holds[ for it too|].",
           "`.contiguous()` [on the host|in the host function] [settles|takes care of] the layout "
           "of `{input}`.",
           "[Whatever|No matter] the [layout|strides] of `{input}`, [the kernel|a kernel] sees "
           "row-major memory.",
           "[If `{input}` is a view|A view as `{input}`], `.contiguous()` [copies it|makes a copy] "
           "[before|ahead of] the launch."},
          values);
    default:
      return "";
  }
}

}  // namespace

std::string BoundaryStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "boundary");
  const AnswerCode& code = subject.code;
  std::vector<std::string> sentences;
  std::set<std::string> told;
  for (const AnswerKernel& kernel : code.kernels) {
    if (told.size() >= subject.most_items) break;
    const std::string bound = BoundSentence(code, kernel, &told, &writer);
    if (!bound.empty()) sentences.push_back(bound);
  }
  const auto& inputs = subject.known.task.inputs;
  const std::string input = inputs.empty() ? "" : inputs[writer.Index(inputs.size())].name;
  const std::string host = HostSentence(code, input, &writer);
  if (!host.empty()) {
    sentences.insert(writer.OneIn(3) ? sentences.begin() : sentences.end(), host);
  }
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

std::string ReductionStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "reduction");
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  for (const AnswerKernel& kernel : subject.code.kernels) {
    const KernelFacts& facts = kernel.facts;
    if (!facts.shared.empty()) {
      const SharedArray& array = facts.shared[writer.Index(facts.shared.size())];
      add(writer.Say(
          {"{kernel} shares `{array}` within a block.",
           "[Threads of a block|The threads of {kernel}] [meet in|exchange through|share] "
           "`{array}`.",
           "What one thread of {kernel} knows [reaches|gets to|is told] others [through|by way "
           "of] `{array}`.",
           "[Exchange|Communication|Sharing] [happens in|goes through|needs] `{array}`.",
           "[On chip|In shared memory][, for {kernel}|]: `{array}`."},
          {{"kernel", KernelReference(subject.code, kernel.name, &writer)},
           {"array", array.text.empty() ? array.name : array.text}}));
    }
    for (const KernelHelper& helper : facts.helpers) {
      if (helper.collectives.empty()) continue;
      add(writer.Say(
          {"`{helper}` [merges|combines|folds] [partial results|what threads hold] [with|"
           "by] {calls}.",
           "[Partial results are|What threads hold is] [combined|merged] by `{helper}`"
           "[, which [rests on|uses] {calls}|].",
           "The merge[ in {kernel}|] is `{helper}`[ ({calls})|].",
           "Inside `{helper}` the exchange is {calls}."},
          {{"helper", helper.name},
           {"kernel", KernelReference(subject.code, kernel.name, &writer)},
           {"calls", CodeList(helper.collectives)}}));
      break;
    }
    const bool speak_of_barriers = !facts.barriers.empty() && writer.OneIn(3);
    const SentenceValues values = {
        {"barrier", facts.barriers.empty() ? "" : facts.barriers[0].name},
        {"kernel", KernelReference(subject.code, kernel.name, &writer)},
        {"array", facts.shared.empty() ? "" : facts.shared[0].name}};
    if (speak_of_barriers && facts.barriers[0].in_loops > 0) {
      add(writer.Say(
          {"`{barrier}` [stands|lies] in a loop[ of {kernel}|] that all threads of the "
           "block run equally often.",
           "[Each|Every] round [needs|has] its `{barrier}`: nobody may overwrite what "
           "others still read.",
           "[Inside the loop|Round by round] `{barrier}` separates writing from reading[ "
           "in {kernel}|]."},
          values));
    } else if (speak_of_barriers && !facts.shared.empty()) {
      add(writer.Say(
          {"`{barrier}` [stands|comes] between writing `{array}` and reading it.",
           "`{barrier}` [orders|separates the halves of] the exchange[ in `{array}`|].",
           "Without `{barrier}` a thread could read [of `{array}` |]what [has not been|is "
           "not yet] written."},
          values));
    }
    if (!text.empty()) return text;
  }
  return text;
}

}  // namespace kernelmill
