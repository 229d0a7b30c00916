#include <algorithm>

#include "corpora/operators/operator_table.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// The ridge point of current devices without matrix units, in FLOPs per byte, is between about 12
// (A100: 19.5 TFLOP/s at 1.56 TB/s) and about 80 (RTX 4090: 82.6 TFLOP/s at 1.01 TB/s). A kernel
// below the first constant is memory-bound on all of them, one above the second is compute-bound.
constexpr double kLeastBalance = 10, kMostBalance = 100;

std::string OnHalves(SentenceWriter* writer) {
  return writer->Say(
      {"Storage is 16 bits wide, arithmetic [is |in ]`float`[: a value is widened [once when|when] "
       "it is loaded and rounded [once when|when] it is stored|].",
       "Half precision is for memory [only|alone]; [in registers|between load and store] "
       "[everything|all] is `float`.",
       "Sums in 16 bits would [drift|lose digits], so [the kernel|each thread] widens to `float` "
       "[first|before it adds].",
       "Rounding [happens|takes place] at the store[ and nowhere before|; until then it is "
       "`float`]."});
}

std::string OnExponentials(const std::string& name, SentenceWriter* writer) {
  return writer->Say(
      {"[For|In] `{op}` the [row's |]maximum is subtracted before exponentials are taken[, so they "
       "stay within range|].",
       "`exp` [in `{op}` |]only sees differences of zero or less[; overflow is [out of the "
       "question|impossible]|].",
       "[Shifting|Moving] [`{op}`|the scores] by the maximum changes nothing in exact arithmetic "
       "and [everything|much] in `float`.",
       "Without the shift by the maximum a large score would [become|make `{op}`] infinite."},
      {{"op", name}});
}

std::string OnSums(const std::string& name, SentenceWriter* writer) {
  return writer->Say(
      {"[The sums of|Sums in] `{op}` are taken in another order than the reference takes them[; "
       "results [differ|may differ] in the last bits|, which the tolerance covers|].",
       "Floating-point addition is not associative, so bit-for-bit equality is not [to be "
       "expected|expected] of `{op}`.",
       "Rounding errors of `{op}` [grow slowly|stay small][; the tolerance leaves room for them|].",
       "[Another|A different] order of summation in `{op}` [means|gives] [other|different] last "
       "bits."},
      {{"op", name}});
}

// A sentence about the bytes of one input.
std::string OneTensor(const ReasoningSubject& subject, SentenceWriter* writer) {
  const auto& inputs = subject.known.task.inputs;
  if (inputs.empty()) return "";
  const InputSpec& input = inputs[writer->Index(inputs.size())];
  const std::int64_t bytes = BytesIn(input.shape, input.dtype);
  if (bytes <= 0 || bytes == INT64_MAX) return "";
  const ValueStyle style = subject.Style();
  return writer->Say({"`{input}` [alone |by itself |]is {bytes}.",
                      "{bytes} [is what `{input}` has|are in `{input}`].",
                      "[Reading|Loading] `{input}` once [costs|takes|is] {bytes}.",
                      "`{input}`: {elements} elements, {bytes}."},
                     {{"input", input.name},
                      {"elements", style.Count(ElementsIn(input.shape))},
                      {"bytes", style.Bytes(bytes)}});
}

std::string WorkText(std::int64_t flops, std::int64_t bytes, SentenceWriter* writer) {
  const ValueStyle style(writer->wording());
  const SentenceValues values = {{"bytes", style.Bytes(bytes)}, {"flops", style.Count(flops)}};
  if (flops <= 0) {
    return writer->Say(
        {"[At|With] these sizes the kernels [move|transfer] {bytes}[ and compute nothing to "
         "speak of|].",
         "{bytes} are moved[; there is no arithmetic to count|, and nothing is computed|].",
         "It is [all|nothing but] traffic: {bytes}.",
         "[No FLOPs|Nothing to compute], {bytes} to [move|copy]."},
        values);
  }
  return writer->Say(
      {"[At|With|For] these sizes the kernels [move|transfer] {bytes} and [do|perform] "
       "{flops} FLOPs.",
       "[Counting|Taking] each tensor once: {bytes}[,| and] {flops} FLOPs.",
       "The least possible traffic is {bytes}[ for {flops} FLOPs|, the work {flops} FLOPs].",
       "{bytes} go in and out[ while| and] {flops} FLOPs are [done|carried out].",
       "[Work|Arithmetic]: {flops} FLOPs. [Traffic|Memory]: {bytes}.",
       "{flops} FLOPs [stand|are set] against {bytes}.", "[Count|Sum up]: {flops} FLOPs, {bytes}."},
      values);
}

}  // namespace

std::string NumericsStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "numerics");
  const AnswerCode& code = subject.code;
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  if (code.Has("__half2float") || code.Has("__bfloat162float")) add(OnHalves(&writer));
  std::string exponential, sum;
  for (const DesignedKernel& plan : subject.answer.kernels) {
    for (const std::string& name : plan.operators) {
      const OperatorRow* const row = FindOperator(name);
      if (row == nullptr) continue;
      if (row->traits.shifts_exponentials) exponential = name;
      using enum OperatorFamily;
      if (row->family == kMatmul || row->family == kConvolution ||
          row->family == kTransposedConvolution || row->family == kNorm || row->traits.adds_up) {
        sum = name;
      }
    }
  }
  if (!exponential.empty()) add(OnExponentials(exponential, &writer));
  if (!sum.empty() && writer.OneIn(4)) add(OnSums(sum, &writer));
  return text;
}

std::string TrafficStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "traffic");
  const std::int64_t flops = PlannedFlops(subject.answer), bytes = PlannedBytes(subject.answer);
  if (bytes <= 0) return "";
  std::vector<std::string> sentences = {WorkText(flops, bytes, &writer)};
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  if (plans.size() > 1) {
    const DesignedKernel& most = *std::max_element(
        plans.begin(), plans.end(),
        [](const DesignedKernel& a, const DesignedKernel& b) { return a.bytes < b.bytes; });
    sentences.push_back(
        writer.Say({"Most of [it|the traffic|that] is `{function}`[ with|:] {part}.",
                    "`{function}` alone [accounts for|moves|takes] {part}.",
                    "The [largest|heaviest] [part|share|call] is `{function}`: {part}[, {flops} "
                    "FLOPs|].",
                    "{part} of [it|that] [belong to|are] `{function}`."},
                   {{"function", most.function},
                    {"part", subject.Style().Bytes(most.bytes)},
                    {"flops", subject.Style().Count(most.flops)}}));
  }
  if (writer.OneIn(2)) {
    const std::string one = OneTensor(subject, &writer);
    if (!one.empty()) sentences.push_back(one);
  }
  const std::int64_t eager = subject.known.facts.bytes;
  if (eager > bytes && writer.Index(3) > 0) {
    sentences.push_back(writer.Say(
        {"Operator by operator it would be {eager}.",
         "[Unfused|One by one|In eager mode], the operators move {eager}.",
         "The reference[, which stores [every intermediate|all intermediates],|] moves {eager}.",
         "Compare that with {eager} [when [each|every] operator reads and writes for "
         "itself|without fusion].",
         "[Against|Instead of] {eager} [in|for] [separate operators|the reference]."},
        {{"eager", subject.Style().Bytes(eager)}}));
  }
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

std::string RooflineStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "roofline");
  const std::int64_t flops = PlannedFlops(subject.answer), bytes = PlannedBytes(subject.answer);
  if (bytes <= 0 || flops <= 0) return "";
  const std::string& function = subject.answer.kernels[0].function;
  const std::string what =
      subject.answer.kernels.size() == 1 ? "`" + function + "`" : "the whole of it";
  const SentenceValues values = {{"ratio", IntensityText(flops, bytes)}, {"what", what}};
  const double intensity = static_cast<double>(flops) / static_cast<double>(bytes);
  if (intensity < kLeastBalance) {
    return writer.Say(
        {"{ratio} FLOPs a byte is [far |]to the left on any roofline[: [memory |]bandwidth "
         "[decides|rules]|].",
         "With {ratio} FLOPs for each byte {what} [waits for|is held up by|depends on] memory[, "
         "[whatever|no matter] the device|].",
         "An intensity of {ratio} FLOPs a byte [means|says] that [only traffic and coalescing "
         "matter|traffic is all that matters|FLOPs are free].",
         "[It|For {what}, it] is memory-bound ({ratio} FLOPs a byte)[, so [arithmetic is "
         "free|FLOPs are free]|, and every [avoided|saved] access counts|].",
         "{ratio} FLOPs per byte: [memory bandwidth|bandwidth] is the [ceiling|limit][ of {what}"
         "|].",
         "[Memory|Bandwidth] limits {what}: {ratio} FLOPs a byte."},
        values);
  }
  if (intensity > kMostBalance) {
    return writer.Say(
        {"{ratio} FLOPs a byte puts {what} on the compute side[, provided that [the caches|"
         "caches] or shared memory really keep what is used again|].",
         "At {ratio} FLOPs for each byte arithmetic is the limit[; what counts is how often a "
         "loaded value is [used|used again]|].",
         "Ideally [it|{what}] is compute-bound ({ratio} FLOPs a byte)[. Reuse has to be organised "
         "for that to come true|].",
         "The intensity[ of {what}|], {ratio} FLOPs a byte, [asks|calls] for reuse in registers "
         "and shared memory."},
        values);
  }
  return writer.Say(
      {"{ratio} FLOPs a byte lies where devices differ[: on some memory is the limit, on others "
       "arithmetic|].",
       "With {ratio} FLOPs for each byte {what} [sits|is] near the ridge of the roofline.",
       "An intensity of {ratio} FLOPs a byte [leaves|keeps] both limits in sight.",
       "{ratio} FLOPs per byte: neither side of the roofline is far[ from {what}|]."},
      values);
}

}  // namespace kernelmill
