#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {

std::string GroupingStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "grouping");
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  if (plans.empty()) return "";
  std::string text;
  if (plans.size() == 1) {
    text = plans[0].operators.size() > 1
               ? voice.Say({"One host function, `{function}`, does all of it: {ops} share a pass.",
                            "{ops} fit into one function, `{function}`; nothing between them "
                            "reaches memory.",
                            "Everything is fused behind `{function}`: {ops}.",
                            "I put {ops} into `{function}`, so that intermediates never leave "
                            "registers."},
                           {{"function", plans[0].function}, {"ops", CodeList(plans[0].operators)}})
               : voice.Say({"One host function is enough: `{function}`.",
                            "`{function}` is the only function that Python calls.",
                            "A single entry, `{function}`, covers it.",
                            "Python calls `{function}` and nothing else."},
                           {{"function", plans[0].function}});
  } else {
    text = voice.Say({"That splits into {count} calls.", "I divide it into {count} functions.",
                      "It takes {count} calls from Python, in this order.",
                      "{count} host functions carry it out one after the other."},
                     {{"count", std::to_string(plans.size())}});
    std::size_t told = 0;
    for (const DesignedKernel& plan : plans) {
      if (told++ == subject.detail + 2) {
        text += " " + voice.Say({"The others follow the same pattern.", "And so on.",
                                 "The rest is of the same kind."});
        break;
      }
      text += " " + voice.Say({"`{function}` computes {ops}.", "{ops}: `{function}`.",
                               "`{function}` takes care of {ops}.", "{ops} go to `{function}`."},
                              {{"function", plan.function}, {"ops", CodeList(plan.operators)}});
    }
  }
  return text;
}

}  // namespace kernelmill
