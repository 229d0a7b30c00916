// The steps of reasoning from a module to its kernels. Each function writes one paragraph, or
// returns "" when the step does not apply. WriteReasoning() (reasoning.h) puts them together; rows
// that analyse or review code use single steps. Every statement follows from the records in
// ReasoningSubject and from the operator table; generators/grounding/ checks that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/known_task/known_task.h"
#include "generators/reasoning/answer_code.h"
#include "generators/reasoning/known_device.h"
#include "generators/reasoning/value_style.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {

struct ReasoningSubject {
  const KnownTask& known;
  const Candidate& answer;
  const AnswerCode& code;
  const Wording& wording;
  // How many items of one kind are described; grows with the difficulty of the task.
  std::size_t most_items = 3;
  // Whether the question shows the counters of a run.
  bool shows_counters = false;
  const KnownDevice* device = nullptr;  // That the question names; the backend's first one if null.

  ValueStyle Style() const { return ValueStyle(wording); }
  const KnownDevice& Device() const {
    return device == nullptr ? KnownDeviceOf(answer.backend) : *device;
  }
};

// In this order: what is computed, one element of it, the shapes, which thread computes what, how
// threads cooperate, what happens at the ends, what rounding and mistakes there may be; then the
// choices with their alternatives and costs.
std::string SemanticsStep(const ReasoningSubject& subject);
std::string ScalarStep(const ReasoningSubject& subject);
std::string ShapesStep(const ReasoningSubject& subject);
std::string MappingStep(const ReasoningSubject& subject);
// The mapping of a plan as far as it is true of this code and backend, with its second kernel by
// name. The sentences of plans are written before the layouts of views are known.
std::string MappingInWords(const Candidate& answer, const AnswerCode& code,
                           const DesignedKernel& plan);
std::string BoundaryStep(const ReasoningSubject& subject);
std::string ReductionStep(const ReasoningSubject& subject);
std::string NumericsStep(const ReasoningSubject& subject);
// What limits a call: BoundText() (performance_findings.h).
std::string LimitStep(const ReasoningSubject& subject);
// The estimated speed, where the answer has no alternatives to compare it with, and why it is below
// that of eager PyTorch where it is.
std::string EstimateStep(const ReasoningSubject& subject);
// The limit, the estimate and what would make it faster.
std::string SpeedStep(const ReasoningSubject& subject);
std::string PitfallStep(const ReasoningSubject& subject);
std::string GroupingStep(const ReasoningSubject& subject);
std::string ChoiceStep(const ReasoningSubject& subject);
// The answer and the other designs of the planner with their launches, bytes, FLOPs and estimated
// speed, and which of them is chosen for that.
std::string AlternativesStep(const ReasoningSubject& subject);

// The planned FLOPs and bytes of an answer, summed over its kernels.
std::int64_t PlannedFlops(const Candidate& answer);
std::int64_t PlannedBytes(const Candidate& answer);
// The last operator of the answer that adds up many elements, whose order of additions matters; "".
std::string SummingOperator(const Candidate& answer);
// FLOPs per byte: "0.25", "12". With two decimals below 10; "" when no bytes are moved.
std::string IntensityText(std::int64_t flops, std::int64_t bytes);
// The number with separators between groups of three digits from 10,000 on, whatever the row's
// style.
std::string CountText(std::int64_t number);
// "`a`, `b` and `c`"; with more than `most` names, the first ones and an ellipsis.
std::string CodeList(const std::vector<std::string>& names, std::size_t most = 8);

}  // namespace kernelmill
