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

std::string OneFunction(const DesignedKernel& plan, SentenceWriter* writer) {
  const SentenceValues values = {{"function", plan.function},
                                 {"kernels", CodeList(plan.kernels)},
                                 {"ops", CodeList(Distinct(plan.operators))}};
  if (plan.operators.size() == 1) {
    return writer->Say(
        {"[One|A single] host function is [enough|sufficient|all it takes][: |, ]`{function}`[ "
         "with {kernels} behind it|].",
         "`{function}` is the only function that Python [calls|sees|gets][; it launches {kernels}"
         "|].",
         "A single [entry|function|entry point], `{function}`, [covers it|does it|leads to "
         "{kernels}].",
         "Python calls `{function}` and [nothing else|no other function][; inside it launches "
         "{kernels}|].",
         "[The whole of it|It all|The work] [goes into|is done by|lies in] `{function}`.",
         "`{function}` [launches|starts|calls|hands over to] {kernels}[, and that is all|].",
         "[From Python|From `forward`|On the host] [comes|goes] one call[: |, of ]`{function}`.",
         "{kernels} [behind|inside|launched by] `{function}`: [no more is needed|that is the "
         "structure|one call]."},
        values);
  }
  return writer->Say(
      {"[One|A single] host function, `{function}`, does [all of it|it all|the lot][: {ops} "
       "share [a pass|one pass|a kernel]|].",
       "One function, `{function}`, [holds|has room for|takes in] {ops}[; nothing between them "
       "[reaches|goes through|is written to] memory|].",
       "Everything is [fused|folded|put together] [behind|into|in] `{function}`[: {ops}|].",
       "[I put|Let us put|Put|We put] {ops} into `{function}`[, so that intermediates stay in "
       "registers|, launched as {kernels}|].",
       "[Gathered|Fused|Computed] [in|by] {kernels}[, which `{function}` launches|]: {ops}.",
       "[Fused|Together|In one go]: {ops}[, in|, as] `{function}`."},
      values);
}

}  // namespace

std::string GroupingStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "grouping");
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  if (plans.empty()) return "";
  if (plans.size() == 1) return OneFunction(plans[0], &writer);
  std::string text = writer.Say(
      {"[That|This|The chain] [splits|falls|breaks] into {count} [calls|functions|pieces][:|.]",
       "I [divide|split|cut] it into {count} [functions|calls|parts][:|.]",
       "It takes {count} calls from Python[, in this order|, one after another|][:|.]",
       "{count} [functions|calls|steps] [follow one another|do it|are needed][:|.]"},
      {{"count", std::to_string(plans.size())}});
  std::size_t told = 0;
  for (const DesignedKernel& plan : plans) {
    if (told++ == subject.most_items + 2) return text + " …";
    text += " " + writer.Say({"`{function}` [computes|does|covers|is for|takes] {ops}.",
                              "{ops}[: | → | in | by ]`{function}`.",
                              "`{function}` [takes care of|is responsible for|holds] {ops}[, with "
                              "{bytes} of traffic|].",
                              "To `{function}` [belongs|falls|goes] {ops}.",
                              "`{function}` [handles|does|computes] {ops} ({bytes} [in and "
                              "out|read and written|of traffic]).",
                              "{kernels}: {ops}[, called through `{function}`|]."},
                             {{"function", plan.function},
                              {"kernels", CodeList(plan.kernels)},
                              {"ops", CodeList(Distinct(plan.operators))},
                              {"bytes", subject.Style().Bytes(plan.bytes)}});
  }
  return text;
}

}  // namespace kernelmill
