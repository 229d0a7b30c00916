#include <algorithm>

#include "corpora/kernel_backend.h"
#include "corpora/operators/operator_table.h"
#include "generators/reasoning/alternatives_step.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/copying_functions.h"
#include "generators/reasoning/performance_findings.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

// Estimates above it do not tell an answer from eager PyTorch.
constexpr double kClearlySlower = 0.9;

// A call that turns a small difference of its argument into a whole step of its result; "" if the
// code has none.
std::string SteppingCall(const AnswerCode& code) {
  for (const std::string_view name : {"truncf", "floorf", "ceilf", "rintf", "roundf"}) {
    if (code.HasName(name)) return std::string(name);
  }
  return "";
}

}  // namespace

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
    const bool between =
        code.Has("__half2float(__float2half(") || code.Has("__bfloat162float(__float2bfloat16(");
    add("Elements are stored with 16 bits; the kernels convert them to `float` when they load "
        "them, " +
        std::string(between
                        ? "compute in `float`, and round the values before a comparison, a step or "
                          "a conversion to 16 bits as eager PyTorch rounds every result, since "
                          "such an operator turns the least difference into a large one."
                        : "compute in `float`, and round once when they store the result."));
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
    const std::string start = "The additions of `" + sum +
                              "` run in another order than in torch, so the last bits can differ";
    const std::string jump = SteppingCall(code);
    if (jump.empty()) {
      add(start + ", which the tolerance allows. Floating-point addition is not associative.");
    } else {
      add(start + ". `" + jump +
          "` turns a difference in the last bits into a whole step where its argument is next to "
          "the place of a step, so single elements can differ by more than the tolerance.");
    }
  }
  return text;
}

std::string LimitStep(const ReasoningSubject& subject) {
  if (PlannedBytes(subject.answer) <= 0) return "";
  return BoundText(subject, PromptLanguage::kEnglish);
}

namespace {

// Whether another planned design is clearly faster by its estimate, which AlternativesStep() says.
bool IsSecond(const ReasoningSubject& subject) {
  const auto others = AlternativesTo(subject.answer, subject.known);
  return !others.empty() && others[0]->candidate.estimated_speed > subject.answer.estimated_speed;
}

// What an estimate below eager PyTorch comes from, where a contraction takes the time.
std::string WhyBelowEager(const ReasoningSubject& subject) {
  const Candidate& answer = subject.answer;
  if (answer.backend != kCudaBackend.name) return "";
  const bool half = subject.code.Has("__half2float") || subject.code.Has("__bfloat162float");
  for (const DesignedKernel& plan : answer.kernels) {
    const std::string& strategy = plan.strategy;
    const bool one_result = strategy == "shared_tile" || strategy == "loops_of_the_definition";
    if (plan.head.empty() || (!one_result && strategy != "register_tile")) continue;
    if (half) {
      return "PyTorch's library computes `" + plan.head +
             "` with tensor cores in this dtype; this program multiplies in float and does not use "
             "them.";
    }
    if (one_result) {
      return "PyTorch calls a tuned library for `" + plan.head +
             "`, which computes many results per thread from the values that it loads.";
    }
  }
  return "";
}

}  // namespace

std::string EstimateStep(const ReasoningSubject& subject) {
  const Candidate& answer = subject.answer;
  const double speed = answer.estimated_speed;
  if (speed <= 0 || IsSecond(subject)) return "";
  std::string text;
  if (AlternativesTo(answer, subject.known).empty()) {
    text = "The program is estimated at " + SpeedText(speed) + " times the speed of eager PyTorch.";
  }
  const std::string why = speed < kClearlySlower ? WhyBelowEager(subject) : "";
  return text + (text.empty() || why.empty() ? "" : " ") + why;
}

namespace {

// What would make it faster than it is; "" where the planned design has nothing to add.
std::string NextStep(const ReasoningSubject& subject) {
  if (PlannedBytes(subject.answer) <= 0 || IsSecond(subject)) return "";
  // Where one launch takes longer than the work, the limit has said all.
  const CallLimit limit = LimitOf(subject.answer, &subject.known.facts, subject.Device());
  if (limit.limit == Limit::kLaunch && limit.launches == 1) return "";
  for (const std::string& item : AdviceItems(subject, PromptLanguage::kEnglish)) {
    // Only a question with counters shows conflicts.
    if (item.find("bank conflict") == item.npos) return item;
  }
  return "";
}

}  // namespace

std::string SpeedStep(const ReasoningSubject& subject) {
  std::string text;
  for (const std::string& part : {LimitStep(subject), EstimateStep(subject), NextStep(subject)}) {
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  }
  return text;
}

namespace {

// How many launches fusion saves.
std::string LaunchesSentence(const ReasoningSubject& subject) {
  const std::int64_t eager = EagerLaunches(subject.known.facts);
  const std::int64_t own =
      LaunchesWithCopies(subject.answer, subject.known.task, subject.known.facts);
  if (own <= 0 || eager <= own) return "";
  return " Eager PyTorch launches at least " + std::to_string(eager) + " kernels for them, this " +
         "program " + std::to_string(own) + ".";
}

}  // namespace

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
    if (operators.size() == 1) return "";
    return CodeList(plans[0].kernels) +
           (plans[0].kernels.size() == 1 ? " computes " : " compute ") + CodeList(operators) +
           " together, so the values between them stay in registers and do not pass through global "
           "memory." +
           LaunchesSentence(subject);
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
  return text + LaunchesSentence(subject);
}

}  // namespace kernelmill
