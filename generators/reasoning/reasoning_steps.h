// The steps from a module to its kernels. Each is a paragraph, or "" where it does not apply. What
// it says follows from the records in ReasoningSubject and from the operator table; fact_check.h
// looks for anything else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generators/reasoning/answer_code.h"
#include "generators/reasoning/value_style.h"
#include "generators/task_rows/known_task.h"
#include "generators/wording/voice.h"

namespace kernelmill {

struct ReasoningSubject {
  const KnownTask& known;
  const Candidate& answer;
  const AnswerCode& code;
  const Wording& wording;
  // How many of several alike things are spoken of; grows with difficulty.
  std::size_t detail = 3;

  ValueStyle Style() const { return ValueStyle(wording); }
};

std::string SemanticsStep(const ReasoningSubject& subject);
std::string ScalarStep(const ReasoningSubject& subject);
std::string ShapeStep(const ReasoningSubject& subject);
std::string GroupingStep(const ReasoningSubject& subject);
std::string MappingStep(const ReasoningSubject& subject);
std::string BoundaryStep(const ReasoningSubject& subject);
std::string ReductionStep(const ReasoningSubject& subject);
std::string NumericsStep(const ReasoningSubject& subject);
std::string TrafficStep(const ReasoningSubject& subject);
std::string RooflineStep(const ReasoningSubject& subject);
std::string PitfallStep(const ReasoningSubject& subject);

// Sums over the kernels of an answer.
std::int64_t FlopsOf(const Candidate& answer);
std::int64_t BytesOf(const Candidate& answer);
// "0.25", "12": of FLOPs for each byte, two digits behind the point below 10; "" where nothing is
// moved.
std::string IntensityText(std::int64_t flops, std::int64_t bytes);
// In groups of three digits from 10,000 on, whatever the row's style is.
std::string CountText(std::int64_t number);
// "`name`", or "the kernel" at times where the answer has only one.
std::string KernelWords(const AnswerCode& code, const std::string& name, Voice* voice);
// "`a`, `b` and `c`".
std::string CodeList(const std::vector<std::string>& names, std::size_t most = 8);

}  // namespace kernelmill
