#include <algorithm>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/operator_words.h"

namespace kernelmill {
namespace {

// A typical mistake in kernels of one kind.
struct Pitfall {
  // The operator or other name that the mistake concerns; empty when it cannot occur in this
  // answer.
  std::string (*about)(const ReasoningSubject& subject);
  std::vector<std::string_view> words;
};

template <OperatorFamily family>
std::string OfFamily(const ReasoningSubject& subject) {
  for (const DesignedKernel& plan : subject.answer.kernels) {
    for (const std::string& name : plan.operators) {
      const OperatorRow* const row = OperatorCalled(name);
      if (row != nullptr && row->family == family) return name;
    }
  }
  return "";
}

std::string WhenHas(const ReasoningSubject& subject, std::string_view text) {
  return subject.code.Has(text) ? std::string(text) : "";
}

// The condition of the first guard in any kernel, or "".
std::string Guard(const ReasoningSubject& subject) {
  for (const AnswerKernel& kernel : subject.code.kernels) {
    if (!kernel.facts.guards.empty()) return kernel.facts.guards[0].condition;
  }
  return "";
}

// The values of the pitfalls' placeholders: names from this answer.
SentenceValues NamesIn(const ReasoningSubject& subject, const std::string& about,
                       SentenceWriter* writer) {
  const auto& kernels = subject.code.kernels;
  const auto& inputs = subject.known.task.inputs;
  return {{"about", about},
          {"kernel", kernels.empty()
                         ? "`" + subject.answer.kernels[0].function + "`"
                         : KernelReference(subject.code,
                                           kernels[writer->Index(kernels.size())].name, writer)},
          {"input", inputs.empty() ? "x" : inputs[writer->Index(inputs.size())].name}};
}

const std::vector<Pitfall>& AllPitfalls() {
  static const std::vector<Pitfall> kPitfalls = {
      {Guard,
       {"[With equality let through|If it let equality through], `{about}` would [allow|let in] one "
        "[thread |]too many.",
        "[An off-by-one|A slip by one] in `{about}` [shows only|is seen only|comes to light] when "
        "the size is no multiple of the block.",
        "[Sizes|Lengths] that are multiples of the block hide [a missing|a wrong] `{about}`.",
        "[Leave out|Forget] `{about}` and [{kernel} writes beyond the end|the last block goes "
        "too far].",
        "[Easy to get wrong|Worth a test]: `{about}`[ in {kernel}|], at a size [that|which] the "
        "block does not divide."}},
      {[](const ReasoningSubject& subject) { return WhenHas(subject, "__syncthreads"); },
       {"A barrier that some threads of a block skip [hangs or corrupts|is undefined][; none may "
        "stand behind a divergent return[ in {kernel}|]|].",
        "Shared memory [in {kernel} |]that is used again needs a barrier before it is "
        "overwritten[, not only after| too].",
        "Forgetting one [of the barriers|`__syncthreads`][ of {kernel}|] gives results that are "
        "right most of the time.",
        "[Every thread|All threads] of the block [of {kernel} |]must reach the same barriers."}},
      {[](const ReasoningSubject& subject) { return WhenHas(subject, "__shfl"); },
       {"A shuffle [in {kernel} |]reads [garbage|anything] from lanes that have left[, so no lane "
        "may return before it|].",
        "The shuffle's mask [must|has to] name the lanes that really arrive[ in {kernel}|].",
        "[Assuming|Fixing] the width of a warp is a mistake that [moves|shows] between devices[; "
        "`warpSize` is asked for instead|]."}},
      {[](const ReasoningSubject& subject) { return WhenHas(subject, "blockIdx.x) * blockDim.x"); },
       {"Products of block and thread numbers overflow if they are formed in a narrower type than "
        "they are [stored|kept] in[: {kernel} casts first|].",
        "The cast [of `blockIdx.x` |]has to come before the multiplication[, or it comes too "
        "late|].",
        "[Cast|Widen] `blockIdx.x` [before|and then] multiplying[, not after|][; see {kernel}|]."}},
      {[](const ReasoningSubject& subject) { return WhenHas(subject, ".contiguous();"); },
       {"Reading a [transposed|sliced|strided] `{input}` through `data_ptr` as if it were row-major "
        "gives a wrong result [without any error|silently].",
        "[Tests with fresh tensors never notice|A fresh `{input}` hides|No fresh `{input}` shows] a "
        "kernel that ignores strides.",
        "Layout is part of the input: a slice or a transpose for `{input}` must give the same "
        "[result|values].",
        "`{input}` may [arrive|come] [as a view|with any strides|transposed]."}},
      {OfFamily<OperatorFamily::kReduction>,
       {"The accumulator [of {kernel} |]must start at the neutral element of `{about}`[, "
        "[which|and that] is not zero for every operation|].",
        "[Dividing|Scaling] [`{about}` |]by the wrong count is the classic slip in averages.",
        "Partial results of `{about}` that are merged twice, or by too few threads, look "
        "[plausible|right].",
        "[Where does|From what value does] `{about}` start? [Not everywhere|Not always] from "
        "zero."}},
      {OfFamily<OperatorFamily::kNorm>,
       {"In `{about}` the small constant belongs under the root[, next to the variance|].",
        "Variance [in `{about}` |]as a difference of two large sums cancels[; it is better taken "
        "around the mean|].",
        "Statistics [of `{about}` |]over the wrong dimensions have plausible magnitudes and wrong "
        "values."}},
      {OfFamily<OperatorFamily::kSoftmax>,
       {"[Omitting|Leaving out] the shift by the maximum [in `{about}` |]works until scores grow.",
        "[Normalising|Running `{about}`] along the wrong dimension keeps the shape and spoils the "
        "values."}},
      {OfFamily<OperatorFamily::kMatmul>,
       {"[Exchanging|Swapping] the two indices of a factor [of `{about}` |]goes unnoticed for "
        "square matrices.",
        "`linear` stores its weight with outputs first; treating it like `matmul` transposes it.",
        "The edge tiles are where [contractions|products|`{about}` and its like] break: what lies "
        "outside has to count as zero."}},
      {OfFamily<OperatorFamily::kConvolution>,
       {"Padding of `{about}` is an address outside the input, which must be skipped and not "
        "clamped.",
        "Groups [of `{about}` |]divide channels on both sides, and the offset of the first is "
        "[easily|soon] forgotten.",
        "Stride belongs to the output coordinate and dilation to the tap[; mixing them up agrees "
        "whenever both are the same|]."}},
      {OfFamily<OperatorFamily::kPooling>,
       {"A maximum has to start below every value and not at zero[, in `{about}` too|].",
        "Whether padding counts in an average is a flag of the operator."}},
      {[](const ReasoningSubject& subject) {
         const std::string op = OfFamily<OperatorFamily::kEmbedding>(subject);
         return op.empty() ? OfFamily<OperatorFamily::kGather>(subject) : op;
       },
       {"Indices [of `{about}` |]are 64-bit integers in torch, and reading them as 32-bit gives "
        "every second one wrong.",
        "An index [of `{about}` |]is data: an address made from it [needs|deserves] the full "
        "width."}},
      {[](const ReasoningSubject& subject) {
         const std::string half = WhenHas(subject, "__half2float");
         return half.empty() ? WhenHas(subject, "__bfloat162float") : half;
       },
       {"Accumulating in the storage type [loses|drops] small addends[; hence `{about}` at the "
        "load|].",
        "Rounding intermediates to 16 bits [would not match|disagrees with] a reference that does "
        "not."}},
      {[](const ReasoningSubject& subject) { return WhenHas(subject, "KERNEL_LAUNCH_CHECK"); },
       {"A launch of {kernel} that fails says nothing by itself.",
        "{kernel} on another stream than torch's would race with [its copies|torch].",
        "[Ask for errors|Check] right [after|behind] {kernel}[, or they surface elsewhere|]."}},
      {[](const ReasoningSubject& subject) {
         const auto& parameters = subject.known.facts.parameters;
         return parameters.empty() ? std::string() : parameters[0].name;
       },
       {"If parameters were created in another order, equal seeds would give [other "
        "weights|`{about}` other numbers].",
        "`{about}` [stays|remains] where `__init__` put it[; the kernel gets it as an argument|]."}},
  };
  return kPitfalls;
}

}  // namespace

std::string PitfallStep(const ReasoningSubject& subject) {
  SentenceWriter writer(subject.wording, "pitfalls");
  if (subject.answer.kernels.empty()) return "";
  std::vector<std::pair<const Pitfall*, std::string>> applying;
  for (const Pitfall& pitfall : AllPitfalls()) {
    std::string about = pitfall.about(subject);
    if (!about.empty()) applying.emplace_back(&pitfall, std::move(about));
  }
  std::string text;
  const std::size_t most = std::max<std::size_t>(1, subject.most_items / 4 + writer.Index(2));
  const std::size_t count = std::min(applying.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = writer.Index(applying.size());
    const auto& [pitfall, about] = applying[at];
    text +=
        (text.empty() ? "" : " ") + writer.Say(pitfall->words, NamesIn(subject, about, &writer));
    applying.erase(applying.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return text;
}

}  // namespace kernelmill
