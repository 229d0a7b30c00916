#include "generators/feedback/verdict_feedback.h"

#include <algorithm>

#include "generators/feedback/error_patterns.h"
#include "generators/feedback/legal_ways.h"

namespace kernelmill {
namespace {

constexpr std::string_view kLayoutCause =
    "the kernel takes its inputs to be contiguous and aligned: pass x.contiguous(), or index by "
    "x.stride(), and read vectors only where the address is a multiple of their size";

// `other_layout`: the answer fails only for inputs with another memory layout.
std::string TextOfDiagnosis(const VerdictDiagnosis& diagnosis, bool other_layout) {
  std::int64_t size = 1;
  for (std::int64_t extent : diagnosis.shape) size *= extent;
  const std::string output = "the output of shape " + IndexText(diagnosis.shape);
  // A reproducible verdict (Verdict::Reproducible) leaves out how many elements differ.
  std::string text = diagnosis.wrong == 0
                         ? "Elements of " + output + " are wrong"
                         : "Of the " + std::to_string(diagnosis.total) + " elements" +
                               (diagnosis.total < size ? " that were looked at" : "") + " of " +
                               output + ", " + std::to_string(diagnosis.wrong) +
                               (diagnosis.wrong == 1 ? " is wrong" : " are wrong");
  text += diagnosis.where.empty() ? ".\n" : ": " + diagnosis.where + ".\n";
  std::string indices;
  for (const VerdictElement& element : diagnosis.elements) {
    const std::string index = IndexText(element.index);
    if (element.expected.empty()) {
      indices += (indices.empty() ? "" : ", ") + index;
    } else {
      text += "  " + index + ": expected " + element.expected + ", got " + element.got + "\n";
    }
  }
  if (!indices.empty()) text += "The first of them: " + indices + ".\n";
  const std::string_view cause = other_layout ? kLayoutCause : CauseOfPattern(diagnosis.pattern);
  if (!cause.empty()) text += "Likely cause: " + std::string(cause) + ".\n";
  return text;
}

// Whether a line of a compiler's output is about headers or files that are not the candidate's.
bool IsAboutUs(std::string_view line) {
  return line.find("kernelmill::") != line.npos || line.find("/km/") != line.npos ||
         line.find("/worker/") != line.npos || line.find("/usr/") != line.npos;
}

// "with batch_size = 4, width = 64": the sizes of a trial that are not the task's own. Those of the
// set "feedback" stand in the verdict's detail, and those of "grading" are not told.
std::string SizesOfTrial(const Verdict& verdict, const VerdictTrial& trial) {
  if (trial.shapes == "grading") return "at other sizes than the task's own";
  if (trial.shapes == "feedback") return "";
  std::string names;
  for (const VerdictSize& size : verdict.sizes) {
    if (trial.shapes != "own" || size.names.empty()) continue;
    names += (names.empty() ? "" : ", ") + size.names.front() + " = " + std::to_string(size.value);
  }
  return names.empty() ? "at the task's own sizes" : "with " + names;
}

// A sentence on the first trial that the candidate fails.
std::string TextOfFailedTrial(const Verdict& verdict) {
  const auto failed =
      std::find_if(verdict.trials.begin(), verdict.trials.end(), [&](const VerdictTrial& trial) {
        return !trial.passed && trial.IsAskedBy(verdict.contract);
      });
  if (failed == verdict.trials.end()) return "";
  std::string where = SizesOfTrial(verdict, *failed);
  const auto add = [&](const std::string& part) { where += (where.empty() ? "" : ", ") + part; };
  const bool own_values = failed->values == "own", own_layout = failed->layout == "own";
  if (own_values && own_layout) add("for inputs as get_inputs() makes them");
  if (!own_values) add("for values of the kind \"" + failed->values + "\"");
  if (!own_layout) add("for inputs of the layout \"" + failed->layout + "\"");
  const auto passed = std::count_if(
      verdict.trials.begin(), verdict.trials.end(),
      [&](const VerdictTrial& trial) { return trial.passed && trial.IsAskedBy(verdict.contract); });
  return "It fails " + where +
         (passed == 0 ? ".\n"
                      : "; " + std::to_string(passed) +
                            (passed == 1 ? " other trial" : " other trials") + " passed.\n");
}

// What an illegal answer should do instead.
std::string TextOfLegalWay(const Verdict& verdict) {
  const std::string_view way = LegalWay(verdict.reason);
  if (verdict.status != VerdictStatus::kIllegal || way.empty()) return "";
  return "Instead: " + std::string(way) + ".\n";
}

// The first sentence: the status, with the explanation of the reason.
std::string Headline(const Verdict& verdict) {
  if (verdict.status == VerdictStatus::kCorrect) return "The answer is correct.";
  const std::string_view why = ExplainVerdictReason(verdict.status, verdict.reason);
  std::string text = "The answer is not accepted: " +
                     (why.empty() ? std::string(StatusName(verdict.status)) : std::string(why));
  return text + ".";
}

}  // namespace

std::string IndexText(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

std::string FindingText(const VerdictFinding& finding) {
  std::string place = finding.file;
  if (finding.line > 0) place += ":" + std::to_string(finding.line);
  return (place.empty() ? "" : place + ": ") + finding.detail;
}

std::string MessagesAboutCandidate(const Verdict& verdict) {
  const std::string& detail = verdict.detail;
  std::string own;
  for (std::size_t first = 0; first < detail.size();) {
    const std::size_t end = std::min(detail.find('\n', first), detail.size());
    const std::string line = detail.substr(first, end - first);
    if (!IsAboutUs(line)) own += (own.empty() ? "" : "\n") + line;
    first = end + 1;
  }
  return own;
}

std::string FullSizeText(const VerdictFullSize& full_size) {
  if (full_size.state == "whole") {
    return "At the task's own sizes one whole forward() ran, and its result is right.";
  }
  if (full_size.state == "checked") {
    return "At the task's own sizes " + std::to_string(full_size.blocks) + " of " +
           std::to_string(full_size.of_blocks) + " blocks ran, and the " +
           std::to_string(full_size.elements) + " elements that they decide are right.";
  }
  if (full_size.why_not.empty()) return "";
  std::string text = "It was not run at the task's own sizes, only at smaller ones: ";
  text += full_size.why_not + ".";
  if (full_size.state == "batch")
    text += " Only sizes along which results are independent were smaller.";
  if (full_size.state == "each")
    text += " One after the other, its sizes had their own values there.";
  return text;
}

std::string FeedbackText(const Verdict& verdict) {
  if (!IsAboutCandidate(verdict.status)) return "";
  std::string text = Headline(verdict) + "\n";
  const std::string sizes = FullSizeText(verdict.full_size);
  if (verdict.status == VerdictStatus::kCorrect && !sizes.empty()) text += sizes + "\n";
  // A finding says the same with file and line.
  const bool found = std::any_of(verdict.findings.begin(), verdict.findings.end(),
                                 [&](const VerdictFinding& finding) {
                                   return finding.detail == verdict.detail && !finding.file.empty();
                                 });
  if (const std::string detail = MessagesAboutCandidate(verdict); !found && !detail.empty())
    text += detail + "\n";
  std::size_t shown = 0;
  for (const VerdictFinding& finding : verdict.findings) {
    if (shown++ == kMostFindings) break;
    const std::string line = FindingText(finding);
    if (finding.detail != verdict.detail || !finding.file.empty()) text += "- " + line + "\n";
  }
  text += TextOfFailedTrial(verdict) + TextOfLegalWay(verdict);
  if (verdict.diagnosis) {
    text += TextOfDiagnosis(*verdict.diagnosis, verdict.reason == "other_layout");
  }
  return text;
}

}  // namespace kernelmill
