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

}  // namespace

Bound BoundOf(std::int64_t flops, std::int64_t bytes) {
  const double intensity = static_cast<double>(flops) / static_cast<double>(bytes);
  return intensity < kLeastBalance  ? Bound::kMemory
         : intensity > kMostBalance ? Bound::kCompute
                                    : Bound::kEither;
}

std::string SummingOperator(const Candidate& answer) {
  std::string sum;
  for (const DesignedKernel& plan : answer.kernels) {
    for (const std::string& name : plan.operators) {
      const OperatorRow* const row = FindOperator(name);
      if (row == nullptr) continue;
      using enum OperatorFamily;
      if (row->family == kMatmul || row->family == kConvolution ||
          row->family == kTransposedConvolution || row->family == kNorm || row->traits.adds_up) {
        sum = name;
      }
    }
  }
  return sum;
}

std::string NumericsStep(const ReasoningSubject& subject) {
  const AnswerCode& code = subject.code;
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  if (code.Has("__half2float") || code.Has("__bfloat162float")) {
    add("Elements are stored with 16 bits; the kernels convert them to `float` when they load "
        "them, "
        "compute in `float`, and round once when they store the result.");
  }
  std::string exponential;
  for (const DesignedKernel& plan : subject.answer.kernels) {
    for (const std::string& name : plan.operators) {
      const OperatorRow* const row = FindOperator(name);
      if (row != nullptr && row->traits.shifts_exponentials) exponential = name;
    }
  }
  const std::string sum = SummingOperator(subject.answer);
  if (!exponential.empty()) {
    add("`" + exponential +
        "` subtracts the maximum before `exp`, so every exponent is at most zero and nothing "
        "overflows.");
  }
  if (!sum.empty()) {
    add("The additions of `" + sum +
        "` run in another order than in torch, so the last bits can differ, which the tolerance "
        "allows. Floating-point addition is not associative.");
  }
  return text;
}

std::string TrafficStep(const ReasoningSubject& subject) {
  const std::int64_t flops = PlannedFlops(subject.answer), bytes = PlannedBytes(subject.answer);
  if (bytes <= 0) return "";
  const ValueStyle style = subject.Style();
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  const bool one = plans.size() == 1 && plans[0].kernels.size() <= 1;
  std::string text =
      "If each tensor is read or written once" +
      std::string(plans.size() == 1 ? "" : " by each host function") + ", " +
      (one ? "the kernel moves " : "the kernels move ") + style.Bytes(bytes) +
      (flops > 0 ? " and " + std::string(one ? "does " : "do ") + style.Count(flops) + " FLOPs"
                 : "; there is no arithmetic to count") +
      ".";
  if (plans.size() > 1) {
    const DesignedKernel& most = *std::max_element(
        plans.begin(), plans.end(),
        [](const DesignedKernel& a, const DesignedKernel& b) { return a.bytes < b.bytes; });
    text += " The largest part is `" + most.function + "` with " + style.Bytes(most.bytes) + ".";
  }
  const std::int64_t eager = subject.known.facts.bytes;
  // A single operator has no intermediate tensor.
  if (eager > bytes && subject.known.facts.operators.size() > 1) {
    text += " One kernel per operator, as in eager mode, would move " + style.Bytes(eager) +
            ", because every intermediate tensor is written and read again.";
  }
  return text;
}

std::string RooflineStep(const ReasoningSubject& subject) {
  const std::int64_t flops = PlannedFlops(subject.answer), bytes = PlannedBytes(subject.answer);
  if (bytes <= 0 || flops <= 0) return "";
  const std::string ratio = IntensityText(flops, bytes);
  const Bound bound = BoundOf(flops, bytes);
  const std::string start = "The arithmetic intensity is " + ratio + " FLOPs per byte. ";
  if (bound == Bound::kMemory) {
    return start +
           "This is below the ridge point of every current GPU, so the traffic takes longer than "
           "the arithmetic.";
  }
  if (bound == Bound::kCompute) {
    return start +
           "This is above the ridge point of current GPUs without tensor cores, so the arithmetic "
           "takes longer than the traffic, provided that loaded values are reused from registers "
           "and shared memory.";
  }
  return start +
         "This is near the ridge point of current GPUs: whether the traffic or the arithmetic "
         "takes longer depends on the device.";
}

std::string GroupingStep(const ReasoningSubject& subject) {
  const std::vector<DesignedKernel>& plans = subject.answer.kernels;
  if (plans.empty()) return "";
  const auto distinct = [](const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const std::string& name : names) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
    return all;
  };
  if (plans.size() == 1) {
    const std::vector<std::string> operators = distinct(plans[0].operators);
    if (operators.size() == 1) {
      return "`forward` makes one call, to `" + plans[0].function + "`, which launches " +
             CodeList(plans[0].kernels) + ".";
    }
    return CodeList(plans[0].kernels) +
           (plans[0].kernels.size() == 1 ? " computes " : " compute ") + CodeList(operators) +
           " together, so the values between them stay in registers and do not pass through global "
           "memory.";
  }
  // Functions that compute the same operators are named together.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const DesignedKernel& plan : plans) {
    const std::string operators = CodeList(distinct(plan.operators));
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& one) { return one.first == operators; });
    if (group == groups.end()) group = groups.insert(groups.end(), {operators, {}});
    const auto& named = group->second;
    if (std::find(named.begin(), named.end(), plan.function) == named.end()) {
      group->second.push_back(plan.function);
    }
  }
  constexpr std::size_t kMostNames = 3;
  std::string text = "`forward` makes " + std::to_string(plans.size()) + " calls:";
  for (const auto& [operators, functions] : groups) {
    text += " " + CodeList(functions, kMostNames) +
            (functions.size() == 1 ? " computes " : " compute ") + operators +
            (&operators == &groups.back().first ? "." : ";");
  }
  return text;
}

}  // namespace kernelmill
