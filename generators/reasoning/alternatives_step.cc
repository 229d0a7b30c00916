// Compares an answer with the other designs that were planned for its task, by their costs.
#include <algorithm>

#include "generators/reasoning/alternatives_step.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"
#include "generators/reasoning/strategy_alternatives.h"
#include "generators/wording/operator_words.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostCompared = 2;

std::string OperatorOf(const DesignedKernel& plan) {
  return !plan.head.empty()       ? plan.head
         : plan.operators.empty() ? plan.function
                                  : plan.operators.front();
}

// What a host function computes and in which design: "tiles in shared memory for `conv2d`", or with
// its name where another function of the answer computes such an operator too.
std::string PartInWords(const Candidate& answer, const DesignedKernel& plan, bool alone) {
  const std::string design(DesignInWords(plan.strategy));
  if (alone) return design;
  const auto same = std::count_if(
      answer.kernels.begin(), answer.kernels.end(),
      [&](const DesignedKernel& other) { return OperatorOf(other) == OperatorOf(plan); });
  return design + " for `" + (same > 1 ? plan.function : OperatorOf(plan)) + "`";
}

// The parts of the design that the other answer has not.
std::string DesignOf(const Candidate& answer, const Candidate& other) {
  constexpr std::size_t kMostParts = 2;
  const bool alone = answer.kernels.size() == 1 && other.kernels.size() == 1;
  std::vector<std::string> parts, theirs;
  for (const DesignedKernel& plan : other.kernels) {
    theirs.push_back(PartInWords(other, plan, alone));
  }
  for (const DesignedKernel& plan : answer.kernels) {
    std::string part = PartInWords(answer, plan, alone);
    const bool shared = std::find(theirs.begin(), theirs.end(), part) != theirs.end() ||
                        std::find(parts.begin(), parts.end(), part) != parts.end();
    if (!shared && parts.size() < kMostParts) parts.push_back(std::move(part));
  }
  return Listed(parts);
}

std::string TableRow(const std::string& design, std::int64_t launches, std::int64_t bytes,
                     std::int64_t flops, const std::string& speed, const ValueStyle& style) {
  return "| " + design + " | " + CountText(launches) + " | " + style.Bytes(bytes) + " | " +
         style.Count(flops) + " | " + speed + " |\n";
}

std::string RowOf(const std::string& design, const Candidate& answer, const ValueStyle& style) {
  return TableRow(design, LaunchesOf(answer), PlannedBytes(answer), PlannedFlops(answer),
                  SpeedText(answer.estimated_speed), style);
}

}  // namespace

std::vector<const KnownCandidate*> AlternativesTo(const Candidate& answer, const KnownTask& known) {
  std::vector<const KnownCandidate*> others;
  if (answer.estimated_speed <= 0) return others;
  for (const KnownCandidate& item : known.candidates) {
    const Candidate& other = item.candidate;
    const bool planned = other.IsAnswer() && other.backend == answer.backend &&
                         other.structure != answer.structure && other.estimated_speed > 0;
    if (planned && !DesignOf(other, answer).empty() && !DesignOf(answer, other).empty()) {
      others.push_back(&item);
    }
  }
  std::stable_sort(others.begin(), others.end(), [](const auto* a, const auto* b) {
    return a->candidate.estimated_speed > b->candidate.estimated_speed;
  });
  if (others.size() > kMostCompared) others.resize(kMostCompared);
  // Numbers that are all the same decide nothing.
  if (!others.empty() && others[0]->candidate.estimated_speed == answer.estimated_speed &&
      !CheaperIn(answer, others[0]->candidate)) {
    others.clear();
  }
  return others;
}

std::optional<CostDifference> CheaperIn(const Candidate& answer, const Candidate& other) {
  const std::int64_t launches = LaunchesOf(answer), others_launches = LaunchesOf(other);
  if (launches < others_launches) return CostDifference{"launches", launches, others_launches};
  if (launches > others_launches) return std::nullopt;
  const std::int64_t bytes = PlannedBytes(answer), others_bytes = PlannedBytes(other);
  if (bytes < others_bytes) return CostDifference{"bytes", bytes, others_bytes};
  if (bytes > others_bytes) return std::nullopt;
  const CountedWork work = CountedWorkOf(answer.verdict), others = CountedWorkOf(other.verdict);
  const bool counted = work.all_counted && others.all_counted;
  if (counted && work.requests < others.requests) {
    return CostDifference{"requests to global memory", work.requests, others.requests};
  }
  return std::nullopt;
}

bool IsClearlyFaster(const Candidate& one, const Candidate& other) {
  constexpr double kClearly = 1.1;
  return one.estimated_speed > kClearly * other.estimated_speed;
}

std::int64_t EagerLaunches(const Annotation& facts) {
  return std::count_if(facts.operators.begin(), facts.operators.end(),
                       [](const OperatorCall& call) { return !ComputesNothing(call.name); });
}

std::string AlternativesStep(const ReasoningSubject& subject) {
  const Candidate& answer = subject.answer;
  const std::vector<const KnownCandidate*> others = AlternativesTo(answer, subject.known);
  if (others.empty() || PlannedBytes(answer) <= 0) return "";
  const Candidate& best = others.front()->candidate;
  const std::string own = DesignOf(answer, best), speed = SpeedText(answer.estimated_speed);
  const std::string against = SpeedText(best.estimated_speed);
  std::string text;
  if (answer.estimated_speed > best.estimated_speed) {
    text = "I choose " + own + ", which is estimated at " + speed +
           " times the speed of eager PyTorch; the best alternative, " + DesignOf(best, answer) +
           ", is estimated at " + against + ".";
  } else if (answer.estimated_speed == best.estimated_speed) {
    const CostDifference less = *CheaperIn(answer, best);
    const std::string_view what = less.own == 1 && less.what == "launches" ? "launch" : less.what;
    text = "I choose " + own + ", which needs " + CountText(less.own) + " " + std::string(what) +
           "; the alternative, " + DesignOf(best, answer) + ", needs " + CountText(less.others) +
           ". Both are estimated at " + speed + " times the speed of eager PyTorch" +
           (LimitOf(answer, &subject.known.facts, subject.Device()).limit == Limit::kLaunch
                ? ", because at these sizes the launch takes longer than the work."
                : ".");
  } else {
    const bool clearly = IsClearlyFaster(best, answer);
    text = "This program uses " + own + ", which is estimated at " + speed +
           " times the speed of eager PyTorch; the best alternative, " + DesignOf(best, answer) +
           ", is estimated " + (clearly ? "higher, at " : "at ") + against +
           (clearly ? ", so that is the one to take where time matters."
                    : ", a difference that the estimates cannot tell from none.");
  }
  text +=
      "\n\nThe estimates come from the peak rates of a GPU and from measurements of such "
      "kernels.\n\n"
      "| design | launches | bytes | FLOPs | estimated speed |\n| --- | --- | --- | --- | --- |\n";
  const ValueStyle style = subject.Style();
  text += RowOf("this program", answer, style);
  for (const KnownCandidate* other : others) {
    text += RowOf(DesignOf(other->candidate, answer), other->candidate, style);
  }
  const Annotation& facts = subject.known.facts;
  if (EagerLaunches(facts) < 2) return text.substr(0, text.size() - 1);
  text += TableRow("one kernel per operator, as in eager mode", EagerLaunches(facts), facts.bytes,
                   facts.flops, "the reference", style);
  text.pop_back();
  return text;
}

}  // namespace kernelmill
