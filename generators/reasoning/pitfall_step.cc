#include <algorithm>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// A typical mistake in kernels of one kind.
struct Pitfall {
  // The operator or other name that the mistake concerns; empty when it cannot occur in this
  // answer.
  std::string (*about)(const ReasoningSubject& subject);
  // {about}: that name.
  std::string_view sentence;
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

// Whether a kernel, or a function that it calls, calls a function whose name begins so.
std::string WhenCalls(const ReasoningSubject& subject, std::string_view prefix) {
  for (const AnswerKernel& kernel : subject.code.kernels) {
    for (const auto* calls : {&kernel.facts.barriers, &kernel.facts.warp_calls}) {
      for (const KernelCall& call : *calls) {
        if (call.name.starts_with(prefix)) return call.name;
      }
    }
    for (const KernelHelper& helper : kernel.facts.helpers) {
      for (const std::string& name : helper.collectives) {
        if (name.starts_with(prefix)) return name;
      }
    }
  }
  return "";
}

// The condition of the first guard that ends threads, where it ends none at the task's sizes: the
// only kernel has one element per thread, and whole blocks. "" otherwise.
std::string Guard(const ReasoningSubject& subject) {
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  const auto& outputs = subject.known.facts.outputs;
  const bool one_each =
      plans.size() == 1 && outputs.size() == 1 && plans[0].threads > 0 &&
      (plans[0].strategy == "one_thread_an_element" || plans[0].strategy == "gather_an_element");
  if (!one_each || ElementsIn(outputs[0].shape) % plans[0].threads != 0) return "";
  for (const AnswerKernel& kernel : subject.code.kernels) {
    for (const KernelGuard& guard : kernel.facts.guards) {
      if (guard.leaves) return guard.condition;
    }
  }
  return "";
}

// The most specific mistakes come first.
const std::vector<Pitfall>& AllPitfalls() {
  static const std::vector<Pitfall> kPitfalls = {
      {OfFamily<OperatorFamily::kSoftmax>,
       "Without the shift by the maximum, `{about}` is right for small scores and overflows for "
       "large ones."},
      {OfFamily<OperatorFamily::kNorm>,
       "In `{about}` the small constant is added to the variance under the root, and the variance "
       "is "
       "taken around the mean: the difference of two large sums would lose digits."},
      {OfFamily<OperatorFamily::kMatmul>,
       "Swapping the two indices of a factor of `{about}` goes unnoticed for square matrices, so "
       "the "
       "kernel has to be tested with sizes that differ."},
      {OfFamily<OperatorFamily::kConvolution>,
       "Padding of `{about}` means an address outside of the input: such an element counts as zero "
       "and must not be read."},
      {[](const ReasoningSubject& subject) {
         const std::string op = OfFamily<OperatorFamily::kPooling>(subject);
         return op.find("max") == op.npos ? std::string() : op;
       },
       "The maximum of `{about}` must start at minus infinity and not at zero, which wins over "
       "negative values."},
      {[](const ReasoningSubject& subject) {
         const std::string op = OfFamily<OperatorFamily::kPooling>(subject);
         return op.find("avg") == op.npos ? std::string() : op;
       },
       "Whether padding counts in the average of `{about}` is an argument of the operator."},
      {OfFamily<OperatorFamily::kReduction>,
       "The accumulator of `{about}` must start at the neutral element of the operation, which is "
       "zero only for sums."},
      {[](const ReasoningSubject& subject) {
         const std::string op = OfFamily<OperatorFamily::kEmbedding>(subject);
         return op.empty() ? OfFamily<OperatorFamily::kGather>(subject) : op;
       },
       "The indices of `{about}` are 64-bit integers; a kernel that reads them as 32-bit integers "
       "gets every second one wrong."},
      {[](const ReasoningSubject& subject) {
         if (SummingOperator(subject.answer).empty()) return std::string();
         const std::string half = WhenHas(subject, "__half2float");
         return half.empty() ? WhenHas(subject, "__bfloat162float") : half;
       },
       "Sums in the 16-bit type would lose small addends, so every value is converted with "
       "`{about}` "
       "first."},
      {[](const ReasoningSubject& subject) { return WhenCalls(subject, "__shfl"); },
       "A shuffle reads an undefined value from a lane that has left the kernel, so no lane may "
       "return before it."},
      {[](const ReasoningSubject& subject) { return WhenCalls(subject, "__syncthreads"); },
       "All threads of a block must reach the same barriers, and shared memory that is used again "
       "needs a barrier before it is overwritten."},
      {[](const ReasoningSubject& subject) {
         const auto& inputs = subject.known.task.inputs;
         const auto& outputs = subject.known.facts.outputs;
         const bool converts = inputs.size() == 1 && outputs.size() == 1 &&
                               inputs[0].dtype.starts_with("int") &&
                               outputs[0].dtype.starts_with("float");
         return converts ? inputs[0].name : std::string();
       },
       "`{about}` holds integers and the result is of a floating-point type, so the output cannot "
       "be "
       "allocated with the options of `{about}` alone, and the conversion comes before the "
       "function "
       "and not after it."},
      {[](const ReasoningSubject& subject) { return WhenHas(subject, "alignas(16)"); },
       "An access of 16 bytes needs an address that is a multiple of 16: tensors that begin "
       "elsewhere, and the last elements where their number is no multiple of a pack, need a path "
       "of "
       "their own, which tests with fresh tensors of round sizes never take."},
      {[](const ReasoningSubject& subject) { return WhenHas(subject, "i += step"); },
       "The step of the loop has to be the number of threads of the whole grid; with that of a "
       "block, "
       "blocks would compute elements of each other again."},
      {Guard,
       "At these sizes every block is full, so a missing or wrong `{about}` would go unnoticed: it "
       "has to be tested with a size that is no multiple of the block."},
  };
  return kPitfalls;
}

}  // namespace

std::string PitfallStep(const ReasoningSubject& subject) {
  if (subject.answer.kernels.empty()) return "";
  const std::size_t most = std::max<std::size_t>(2, subject.most_items / 2 + 1);
  std::size_t told = 0;
  std::string text;
  for (const Pitfall& pitfall : AllPitfalls()) {
    if (told == most) break;
    const std::string about = pitfall.about(subject);
    if (about.empty()) continue;
    ++told;
    text += (text.empty() ? "" : " ") + FillPlaceholders(pitfall.sentence, {{"about", about}});
  }
  if (text.empty() && subject.code.Has("contiguous")) {
    return "An input may be a view whose memory is not contiguous; without `contiguous()` in the "
           "host code the kernel would read other elements.";
  }
  return text;
}

}  // namespace kernelmill
