#include <algorithm>

#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

std::vector<std::string> Distinct(const std::vector<std::string>& names) {
  std::vector<std::string> distinct;
  for (const std::string& name : names) {
    if (std::find(distinct.begin(), distinct.end(), name) == distinct.end()) {
      distinct.push_back(name);
    }
  }
  return distinct;
}

std::string OneFunction(const DesignedKernel& plan, Voice* voice) {
  const SentenceValues values = {{"function", plan.function},
                                 {"ops", CodeList(Distinct(plan.operators))}};
  if (plan.operators.size() == 1) {
    return voice->Say({"[One|A single] host function is [enough|sufficient]: `{function}`.",
                       "`{function}` is the only function that Python [calls|sees].",
                       "A single [entry|function], `{function}`, covers it.",
                       "Python calls `{function}` and [nothing else|no other function].",
                       "[The whole of it|It all] [goes into|is] `{function}`."},
                      values);
  }
  return voice->Say(
      {"[One|A single] host function, `{function}`, does [all of it|it all]: {ops} "
       "share [a pass|one pass].",
       "{ops} fit into one function, `{function}`; nothing between them [reaches|goes "
       "through] memory.",
       "Everything is fused [behind|into] `{function}`: {ops}.",
       "[I put|Let us put] {ops} into `{function}`, so that intermediates stay in "
       "registers."},
      values);
}

}  // namespace

std::string GroupingStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "grouping");
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  if (plans.empty()) return "";
  if (plans.size() == 1) return OneFunction(plans[0], &voice);
  std::string text = voice.Say({"[That|This] splits into {count} calls[:|.]",
                                "I [divide|split] it into {count} functions[:|.]",
                                "It takes {count} calls from Python[, in this order|][:|.]"},
                               {{"count", std::to_string(plans.size())}});
  std::size_t told = 0;
  for (const DesignedKernel& plan : plans) {
    if (told++ == subject.detail + 2) {
      return text + " " +
             voice.Say({"The others follow the same pattern.", "[And so on|Likewise the others].",
                        "The rest is of [the same|that] kind."});
    }
    text += " " + voice.Say({"`{function}` [computes|does|covers] {ops}.", "{ops}: `{function}`.",
                             "`{function}` [takes care of|is responsible for] {ops}.",
                             "To `{function}` [belongs|falls] {ops}.",
                             "`{function}` [handles|does] {ops} ({bytes} bytes in and out)."},
                            {{"function", plan.function},
                             {"ops", CodeList(Distinct(plan.operators))},
                             {"bytes", CountText(plan.bytes)}});
  }
  return text;
}

}  // namespace kernelmill
