#include "generators/feedback/verdict_feedback.h"

#include <algorithm>

#include "generators/feedback/error_patterns.h"

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
    if (line.find("kernelmill::") == line.npos) own += (own.empty() ? "" : "\n") + line;
    first = end + 1;
  }
  return own;
}

std::string FullSizeText(const VerdictFullSize& full_size) {
  if (full_size.state == "checked") {
    return "At the task's own sizes " + std::to_string(full_size.blocks) + " of " +
           std::to_string(full_size.of_blocks) + " blocks ran, and the " +
           std::to_string(full_size.elements) + " elements that they decide are right.";
  }
  if (full_size.why_not.empty()) return "";
  return "It was not run at the task's own sizes, only at smaller ones: " + full_size.why_not + ".";
}

std::string FeedbackText(const Verdict& verdict) {
  if (!IsAboutCandidate(verdict.status)) return "";
  std::string text = Headline(verdict) + "\n";
  const std::string sizes = FullSizeText(verdict.full_size);
  if (verdict.status == VerdictStatus::kCorrect && !sizes.empty()) text += sizes + "\n";
  if (const std::string detail = MessagesAboutCandidate(verdict); !detail.empty())
    text += detail + "\n";
  std::size_t shown = 0;
  for (const VerdictFinding& finding : verdict.findings) {
    if (shown++ == kMostFindings) break;
    const std::string line = FindingText(finding);
    if (finding.detail != verdict.detail || !finding.file.empty()) text += "- " + line + "\n";
  }
  if (verdict.diagnosis) {
    text += TextOfDiagnosis(*verdict.diagnosis, verdict.reason == "other_layout");
  }
  return text;
}

}  // namespace kernelmill
