#include "generators/verdict_feedback.h"

#include <algorithm>

namespace kernelmill {
namespace {

constexpr std::string_view kLayoutCause =
    "the kernel takes its inputs to be contiguous and aligned: pass x.contiguous(), or index by "
    "x.stride(), and read vectors only where the address is a multiple of their size";

// `other_layout`: that the inputs lie differently is then the whole difference.
std::string TextOfDiagnosis(const VerdictDiagnosis& diagnosis, bool other_layout) {
  std::int64_t size = 1;
  for (std::int64_t extent : diagnosis.shape) size *= extent;
  const std::string output = "the output of shape " + IndexText(diagnosis.shape);
  // How many differ is left out of what has to read the same everywhere (Verdict::Reproducible).
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

// The first sentence. What it says of the reference or of us is no advice to a model.
std::string Headline(const Verdict& verdict) {
  if (verdict.status == VerdictStatus::kCorrect) return "The answer is correct.";
  const std::string_view why = ExplainVerdictReason(verdict.status, verdict.reason);
  std::string text = "The answer is not accepted: " +
                     (why.empty() ? std::string(StatusName(verdict.status)) : std::string(why));
  return text + ".";
}

}  // namespace

const std::vector<ErrorPattern>& AllErrorPatterns() {
  static const std::vector<ErrorPattern> kPatterns = {
      {"not_written",
       "these elements were never written, or were computed from memory that was never written or "
       "lies beyond a tensor's end: "
       "check that the grid covers the whole output, including the last, partial block, and that "
       "shared memory is set before it is read",
       "nothing wrote these elements, or they come from memory that nothing wrote"},
      {"not_finite",
       "a value left the range of its type, or zero was divided by zero: subtract the maximum "
       "before "
       "an exponential, and keep divisors and arguments of roots and logarithms above zero",
       "an overflow, or a zero divided by zero"},
      {"wrong_identity",
       "the elements that should lie on the other side of zero are zero: start a maximum at minus "
       "infinity and a minimum at infinity",
       "a search that starts at zero"},
      {"truncated",
       "the values have lost what stands behind the point: look for an integer type or "
       "a division of integers",
       "an integer where a float should be"},
      {"repeated_row",
       "each row holds the values of the first: the row is missing from the index computation",
       "no row in the index"},
      {"zeros", "these elements are zero: check that every block writes its result",
       "not every block writes its result"},
      {"boundary",
       "the errors begin at a boundary: check the tail of the last block and the bounds of loops",
       "the tail of a block, or the end of a loop"},
      {"imprecise",
       "the values are close but not close enough: look for a narrower type, a fast approximation "
       "or a sum that loses digits",
       "digits get lost: a narrow type, a fast function, a long sum"},
      {"factor",
       "a constant factor is missing or applied twice: look at scales, divisors of means, and "
       "whether a kernel runs twice over the same output",
       "a scale or divisor, missing or used twice"},
      {"transposed", "rows and columns are exchanged in the index computation",
       "rows and columns exchanged"},
      {"shifted_element", "the values belong to a neighbouring element: an index is off by one",
       "an index off by one"},
      {"shifted_row", "the values belong to a neighbouring row: a row index is off by one",
       "a row index off by one"},
      {"large_sizes",
       "the kernel is right at smaller sizes: look for index arithmetic that leaves 32 bits, and "
       "for grids and loops with a fixed upper limit",
       "32-bit indices, or a fixed limit of a grid or loop"},
      {"offset",
       "a constant is missing or added twice: look at biases and at the start value of sums",
       "a bias or a start value, missing or used twice"},
  };
  return kPatterns;
}

const ErrorPattern* FindErrorPattern(std::string_view name) {
  for (const ErrorPattern& pattern : AllErrorPatterns()) {
    if (pattern.name == name) return &pattern;
  }
  return nullptr;
}

std::string_view CauseOfPattern(std::string_view name) {
  const ErrorPattern* const pattern = FindErrorPattern(name);
  return pattern == nullptr ? std::string_view() : pattern->cause;
}

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

std::string OwnMessages(const Verdict& verdict) {
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
  if (!SaysSomething(verdict.status)) return "";
  std::string text = Headline(verdict) + "\n";
  const std::string sizes = FullSizeText(verdict.full_size);
  if (verdict.status == VerdictStatus::kCorrect && !sizes.empty()) text += sizes + "\n";
  if (const std::string detail = OwnMessages(verdict); !detail.empty()) text += detail + "\n";
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
