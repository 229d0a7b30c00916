#include <algorithm>

#include "generators/operator_words.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

// FLOPs a byte that a device does while it reads that byte, without matrix units: over current ones
// from about 12 (A100: 19.5 TFLOP/s at 1.56 TB/s) to about 80 (RTX 4090: 82.6 at 1.01). Below the
// first memory is the limit everywhere, above the second arithmetic is.
constexpr double kLeastBalance = 10, kMostBalance = 100;

}  // namespace

std::string NumericsStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "numerics");
  const AnswerCode& code = subject.code;
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  const bool half = code.Has("__half2float") || code.Has("__bfloat162float");
  if (half) {
    add(
        voice.Say({"Storage is 16 bits wide, arithmetic is `float`: a value is widened [once when|"
                   "when] it is loaded and rounded [once when|when] it is stored.",
                   "Half precision is for memory [only|alone]; in registers everything is `float`.",
                   "Sums in 16 bits would [drift|lose digits], so the kernel widens to `float` "
                   "[first|before it adds].",
                   "Rounding [happens|takes place] at the store and nowhere before."}));
  }
  bool exponentials = false, sums = false;
  for (const DesignedKernel& plan : subject.answer.kernels) {
    for (const std::string& name : plan.operators) {
      exponentials = exponentials || name.find("softmax") != name.npos || name == "logsumexp" ||
                     name == "cross_entropy" || name == "scaled_dot_product_attention";
      const OperatorRow* const row = OperatorCalled(name);
      if (row == nullptr) continue;
      using enum OperatorFamily;
      sums = sums || row->family == kMatmul || row->family == kConvolution ||
             row->family == kTransposedConvolution || row->family == kNorm || name == "sum" ||
             name == "mean";
    }
  }
  if (exponentials) {
    add(
        voice.Say({"The [row's|] maximum is subtracted before exponentials are taken, so they stay "
                   "within range.",
                   "`exp` only sees differences of zero or less; overflow is [out of the question|"
                   "impossible].",
                   "Shifting by the maximum changes nothing in exact arithmetic and everything in "
                   "`float`.",
                   "Without the shift by the maximum a large score would become infinite."}));
  }
  if (sums && voice.OneIn(4)) {
    add(voice.Say(
        {"Sums are taken in another order than the reference takes them; results [differ|"
         "may differ] in the last bits, which the tolerance covers.",
         "Floating-point addition is not associative, so bit-for-bit equality is not [to "
         "be expected|expected] of the sums.",
         "Rounding errors of the sums [grow slowly|stay small]; the tolerance leaves room "
         "for them."}));
  }
  return text;
}

std::string TrafficStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "traffic");
  const std::int64_t flops = FlopsOf(subject.answer), bytes = BytesOf(subject.answer);
  if (bytes <= 0) return "";
  const SentenceValues values = {{"bytes", CountText(bytes)}, {"flops", CountText(flops)}};
  std::string text =
      flops > 0
          ? voice.Say({"[At|With] these sizes the kernels [move|transfer] {bytes} bytes and [do|"
                       "perform] {flops} FLOPs.",
                       "[Counting|Taking] each tensor once: {bytes} bytes, {flops} FLOPs.",
                       "The least possible traffic is {bytes} bytes for {flops} FLOPs.",
                       "{bytes} bytes go in and out while {flops} FLOPs are [done|carried out].",
                       "Work: {flops} FLOPs. Traffic: {bytes} bytes.",
                       "{flops} FLOPs [stand|are set] against {bytes} bytes."},
                      values)
          : voice.Say(
                {"[At|With] these sizes the kernels [move|transfer] {bytes} bytes and compute "
                 "nothing to speak of.",
                 "{bytes} bytes are moved; there is no arithmetic to count.",
                 "It is [all|nothing but] traffic: {bytes} bytes."},
                values);
  const auto add = [&](const std::string& sentence) { text += " " + sentence; };
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  if (plans.size() > 1) {
    const DesignedKernel& most = *std::max_element(
        plans.begin(), plans.end(),
        [](const DesignedKernel& a, const DesignedKernel& b) { return a.bytes < b.bytes; });
    add(voice.Say({"Most of [it|the traffic] is `{function}` with {part} bytes.",
                   "`{function}` alone [accounts for|moves] {part} bytes.",
                   "The [largest|heaviest] part is `{function}`: {part} bytes, {flops} FLOPs."},
                  {{"function", most.function},
                   {"part", CountText(most.bytes)},
                   {"flops", CountText(most.flops)}}));
  }
  const std::int64_t eager = subject.known.facts.bytes;
  if (eager > bytes && voice.Index(3) > 0) {
    add(voice.Say(
        {"Operator by operator it would be {eager} bytes.",
         "[Unfused|One by one], the operators move {eager} bytes.",
         "The reference, which stores [every intermediate|all intermediates], moves {eager} "
         "bytes.",
         "Compare that with {eager} bytes when [each|every] operator reads and writes for "
         "itself."},
        {{"eager", CountText(eager)}}));
  }
  return text;
}

std::string RooflineStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "roofline");
  const std::int64_t flops = FlopsOf(subject.answer), bytes = BytesOf(subject.answer);
  if (bytes <= 0 || flops <= 0) return "";
  const std::string ratio = IntensityText(flops, bytes);
  const double intensity = static_cast<double>(flops) / static_cast<double>(bytes);
  if (intensity < kLeastBalance) {
    return voice.Say(
        {"{ratio} FLOPs a byte is far to the left on any roofline: [memory |]bandwidth "
         "[decides|rules].",
         "With {ratio} FLOPs for each byte the kernel [waits for|is held up by] memory, "
         "[whatever|no matter] the device.",
         "An intensity of {ratio} FLOPs a byte [means|says] that [only traffic and "
         "coalescing matter|traffic is all that matters].",
         "It is memory-bound ({ratio} FLOPs a byte), so [arithmetic is free|FLOPs are "
         "free] and every [avoided|saved] access counts.",
         "{ratio} FLOPs per byte: [memory bandwidth|bandwidth] is the [ceiling|limit]."},
        {{"ratio", ratio}});
  }
  if (intensity > kMostBalance) {
    return voice.Say(
        {"{ratio} FLOPs a byte puts it on the compute side, provided that [the caches|"
         "caches] or shared memory really keep what is used again.",
         "At {ratio} FLOPs for each byte arithmetic is the limit; what counts is how "
         "often a loaded value is [used|used again].",
         "Ideally it is compute-bound ({ratio} FLOPs a byte). Reuse has to be organised "
         "for that to come true.",
         "The intensity, {ratio} FLOPs a byte, [asks|calls] for reuse in registers and "
         "shared memory."},
        {{"ratio", ratio}});
  }
  return voice.Say(
      {"{ratio} FLOPs a byte lies where devices differ: on some memory is the limit, on "
       "others arithmetic.",
       "With {ratio} FLOPs for each byte it sits near the ridge of the roofline.",
       "An intensity of {ratio} FLOPs a byte [leaves|keeps] both limits in sight.",
       "{ratio} FLOPs per byte: neither side of the roofline is far."},
      {{"ratio", ratio}});
}

}  // namespace kernelmill
