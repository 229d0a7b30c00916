#include <algorithm>

#include "generators/operator_words.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

// What goes wrong with kernels of a kind.
struct Pitfall {
  bool (*applies)(const ReasoningSubject& subject);
  std::vector<std::string_view> words;
};

bool Uses(const ReasoningSubject& subject, OperatorFamily family) {
  for (const DesignedKernel& plan : subject.answer.kernels) {
    for (const std::string& name : plan.operators) {
      const OperatorRow* const row = OperatorCalled(name);
      if (row != nullptr && row->family == family) return true;
    }
  }
  return false;
}

bool HasGuard(const ReasoningSubject& subject) {
  return std::any_of(subject.code.kernels.begin(), subject.code.kernels.end(),
                     [](const AnswerKernel& kernel) { return !kernel.facts.guards.empty(); });
}

const std::vector<Pitfall>& AllPitfalls() {
  static const std::vector<Pitfall> kPitfalls = {
      {HasGuard,
       {"A guard that lets equality through would write one element too many.",
        "An off-by-one in the guard shows only when the size is no multiple of the block.",
        "Sizes that are multiples of the block hide a missing guard; odd ones do not."}},
      {[](const ReasoningSubject& subject) { return subject.code.Has("__syncthreads"); },
       {"A barrier that some threads of a block skip hangs or corrupts; none may stand behind a "
        "divergent return.",
        "Shared memory that is used again needs a barrier before it is overwritten, not only "
        "after.",
        "Forgetting one of the barriers gives results that are right most of the time.",
        "Every thread of the block has to reach the same barriers in the same order."}},
      {[](const ReasoningSubject& subject) { return subject.code.Has("__shfl"); },
       {"A shuffle reads garbage from lanes that have left, so no lane may return before it.",
        "The shuffle's mask must name the lanes that really arrive.",
        "Assuming a warp of a certain width is a mistake that moves between devices; `warpSize` is "
        "asked for instead."}},
      {[](const ReasoningSubject& subject) { return subject.code.Has("blockIdx.x) * blockDim.x"); },
       {"Products of block and thread numbers overflow if they are formed in a narrower type than "
        "they are stored in.",
        "The cast has to come before the multiplication, or it comes too late."}},
      {[](const ReasoningSubject& subject) { return subject.code.contiguous; },
       {"Reading a transposed argument through `data_ptr` as if it were row-major gives a wrong "
        "result without any error.",
        "Tests with fresh tensors never notice a kernel that ignores strides.",
        "Layout is part of the input: a slice or a transpose must give the same result."}},
      {[](const ReasoningSubject& subject) { return Uses(subject, OperatorFamily::kReduction); },
       {"The accumulator must start at the neutral element of the operation, which is not zero for "
        "all of them.",
        "Dividing by the wrong count is the classic slip in a mean.",
        "Partial results that are merged twice, or by too few threads, look plausible."}},
      {[](const ReasoningSubject& subject) { return Uses(subject, OperatorFamily::kNorm); },
       {"The small constant belongs under the root, next to the variance.",
        "Variance as a difference of two large sums cancels; it is better taken around the mean.",
        "Statistics over the wrong dimensions have plausible magnitudes and wrong values."}},
      {[](const ReasoningSubject& subject) { return Uses(subject, OperatorFamily::kSoftmax); },
       {"Omitting the shift by the maximum works until scores grow.",
        "Normalising along the wrong dimension keeps the shape and spoils the values."}},
      {[](const ReasoningSubject& subject) { return Uses(subject, OperatorFamily::kMatmul); },
       {"Exchanging the two indices of a factor goes unnoticed for square matrices.",
        "`linear` stores its weight with outputs first; treating it like `matmul` transposes it.",
        "The edge tiles are where contractions break: what lies outside has to count as zero."}},
      {[](const ReasoningSubject& subject) { return Uses(subject, OperatorFamily::kConvolution); },
       {"Padding is an address outside the input, which must be skipped and not clamped.",
        "Groups divide channels on both sides, and the offset of the first is easily forgotten.",
        "Stride belongs to the output coordinate and dilation to the tap; mixing them up agrees "
        "whenever both are the same."}},
      {[](const ReasoningSubject& subject) { return Uses(subject, OperatorFamily::kPooling); },
       {"A maximum has to start below every value and not at zero.",
        "Whether padding counts in an average is a flag of the operator."}},
      {[](const ReasoningSubject& subject) {
         return Uses(subject, OperatorFamily::kEmbedding) || Uses(subject, OperatorFamily::kGather);
       },
       {"Indices are 64-bit integers in torch, and reading them as 32-bit gives every second one "
        "wrong.",
        "An index is data: an address made from it needs the full width."}},
      {[](const ReasoningSubject& subject) {
         return subject.code.Has("__half2float") || subject.code.Has("__bfloat162float");
       },
       {"Accumulating in the storage type loses small addends.",
        "Rounding intermediates to 16 bits would not match a reference that does not."}},
      {[](const ReasoningSubject& subject) { return subject.code.checks_launch; },
       {"A launch that fails says nothing by itself, hence the check behind it.",
        "Launching on another stream than torch's would race with its copies.",
        "Errors of a launch surface later and elsewhere unless they are asked for."}},
      {[](const ReasoningSubject& subject) { return !subject.known.facts.parameters.empty(); },
       {"If parameters were created in another order, equal seeds would give other weights.",
        "Weights stay where `__init__` put them; the kernel gets them as arguments."}},
  };
  return kPitfalls;
}

}  // namespace

std::string PitfallStep(const ReasoningSubject& subject) {
  Voice voice(subject.wording, "pitfalls");
  std::vector<const Pitfall*> applying;
  for (const Pitfall& pitfall : AllPitfalls()) {
    if (pitfall.applies(subject)) applying.push_back(&pitfall);
  }
  std::string text;
  const std::size_t count = std::min(applying.size(), subject.detail);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = voice.Index(applying.size());
    text += (text.empty() ? "" : " ") + voice.Say(applying[at]->words);
    applying.erase(applying.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return text;
}

}  // namespace kernelmill
