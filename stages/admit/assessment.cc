#include "stages/admit/assessment.h"

#include <algorithm>
#include <map>

namespace kernelmill {
namespace {

// A wrong result this close to the reference would pass a comparison in low precision. Values
// between half and twice a threshold are borderline: float32 sums differ between processors, but
// the decision must not.
constexpr double kTolerance = 1e-3;
// Outputs for other inputs must differ by more than rounding, relative to the largest value.
constexpr double kRounding = 1e-5;
constexpr double kBand = 2.0;

enum class Answer { kNo, kMaybe, kYes };

Answer IsBelow(std::optional<double> figure, double threshold) {
  if (!figure) return Answer::kNo;
  if (*figure <= threshold / kBand) return Answer::kYes;
  return *figure < threshold * kBand ? Answer::kMaybe : Answer::kNo;
}

// Integers must be equal.
double Tolerance(const OutputMeasure& output) { return output.exact ? 0.25 : kTolerance; }

Answer IsTrivial(const OutputMeasure& output, std::string* how) {
  if (output.elements == 0) return Answer::kYes;
  const std::pair<std::optional<double>, const char*> figures[] = {
      {output.largest, "zeros"}, {output.spread, "a constant"}, {output.nearest_input, "an input"}};
  Answer answer = Answer::kNo;
  for (const auto& [figure, name] : figures) {
    const Answer one = IsBelow(figure, Tolerance(output));
    if (one > answer) {
      answer = one;
      *how = name;
    }
  }
  return answer;
}

Answer IgnoresInputs(const OutputMeasure& output) {
  if (!output.change) return output.elements == 0 ? Answer::kYes : Answer::kNo;
  if (output.exact) return *output.change == 0 ? Answer::kYes : Answer::kNo;
  return IsBelow(output.change, kRounding * output.largest.value_or(0));
}

Assessment AssessFault(const Fault& fault) {
  // Phase → (reason, progress). When get_inputs() raises, the task cannot be built.
  static const std::map<std::string, std::pair<const char*, int>, std::less<>> kPhases = {
      {"parse", {"parse_error", 0}},
      {"refused", {"unsafe_import", 0}},
      {"build", {"build_failed", 1}},
      {"inputs", {"build_failed", 2}},
      {"run", {"run_failed", 3}}};
  const auto phase = kPhases.find(fault.phase);
  Assessment assessment;
  assessment.reason = phase == kPhases.end() ? "run_failed" : phase->second.first;
  assessment.progress = phase == kPhases.end() ? 0 : phase->second.second;
  assessment.detail = fault.type + ": " + fault.message;
  if (fault.line > 0) assessment.detail += " (line " + std::to_string(fault.line) + ")";
  return assessment;
}

Assessment Checked(std::string reason, std::string detail = "") {
  return {std::move(reason), std::move(detail), 4};
}

// A task fails a check when all its outputs do: many tasks return a constant in addition to a
// result.
Assessment AssessRun(const WorkerReply& reply) {
  if (reply.outputs.empty()) return Checked("no_tensor_output");
  Answer trivial = Answer::kYes, ignores = Answer::kYes;
  std::string how;
  for (const OutputMeasure& output : reply.outputs) {
    if (!output.finite) return Checked("not_finite");
    trivial = std::min(trivial, IsTrivial(output, &how));
    ignores = std::min(ignores, IgnoresInputs(output));
  }
  if (!reply.deterministic) return Checked("not_deterministic");
  if (reply.random) return Checked("random");
  if (!reply.inputs_unchanged) return Checked("writes_inputs");
  if (ignores == Answer::kYes) return Checked("ignores_inputs");
  if (trivial == Answer::kYes) return Checked("trivial", how + " would pass");
  if (ignores == Answer::kMaybe) return Checked("borderline", "dependence on the inputs");
  if (trivial == Answer::kMaybe) return Checked("borderline", how + " might pass");
  return Checked("");
}

}  // namespace

bool StoppedByLimit(const WorkerReply& reply) {
  return reply.end == "time_limit" || reply.end == "memory_limit" || reply.end == "output_limit";
}

Assessment Assess(const WorkerReply& reply) {
  if (reply.fault) return AssessFault(*reply.fault);
  if (reply.end == "ran") return AssessRun(reply);
  if (reply.end == "reply_limit") return {"output_limit", "the annotation is too long", 3};
  // All other values of `end` are names of reasons.
  return {reply.end, reply.detail, 3};
}

}  // namespace kernelmill
