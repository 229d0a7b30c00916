#include "generators/feedback/repair_feedback.h"

#include <algorithm>
#include <map>
#include <vector>

#include "generators/feedback/error_patterns.h"
#include "generators/feedback/verdict_feedback.h"
#include "generators/wording/fenced_code.h"
#include "generators/wording/han_spacing.h"
#include "generators/wording/sentence_writer.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

// In bytes, about 2,000 tokens; longer feedback is cut at the end of a line.
constexpr std::size_t kMostFeedback = 6000;

std::string Cut(std::string text) {
  if (text.size() > kMostFeedback) text.resize(text.rfind('\n', kMostFeedback) + 1);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string Block(std::string_view language, const std::string& text) {
  std::string block = Fenced(language, text);
  block.pop_back();
  return block;
}

// The findings, with those of one line joined: "candidate.py:12: calls F.relu; calls F.gelu".
std::vector<std::string> FindingsByLine(const Verdict& verdict) {
  std::vector<std::pair<const VerdictFinding*, std::string>> lines;
  std::size_t shown = 0;
  for (const VerdictFinding& finding : verdict.findings) {
    if (shown++ == kMostFindings) break;
    if (finding.detail == verdict.detail && finding.file.empty()) continue;
    if (!lines.empty() && lines.back().first->file == finding.file &&
        lines.back().first->line == finding.line) {
      lines.back().second += "; " + finding.detail;
    } else {
      lines.emplace_back(&finding, FindingText(finding));
    }
  }
  std::vector<std::string> texts;
  for (auto& [first, text] : lines) texts.push_back(std::move(text));
  return texts;
}

// The messages of the tool, unless a finding repeats them.
std::string Messages(const Verdict& verdict) {
  const bool found = std::any_of(verdict.findings.begin(), verdict.findings.end(),
                                 [&](const VerdictFinding& finding) {
                                   return !finding.file.empty() && finding.detail == verdict.detail;
                                 });
  return found ? "" : MessagesAboutCandidate(verdict);
}

// A sentence about the wrong elements of the output.
std::string Extent(const VerdictDiagnosis& diagnosis, SentenceWriter* writer) {
  std::vector<std::string> indices;
  for (const VerdictElement& element : diagnosis.elements)
    indices.push_back(IndexText(element.index));
  // One or two indices are enough to show where the errors begin.
  if (indices.size() > 2 && writer->OneIn(2)) indices.resize(1 + writer->Index(2));
  std::string list;
  for (const std::string& index : indices) list += (list.empty() ? "" : ", ") + index;
  const SentenceValues values = {
      {"shape", IndexText(diagnosis.shape)}, {"list", list}, {"where", diagnosis.where}};
  if (!diagnosis.where.empty()) {
    return writer->Say(
        {"The output of shape {shape} is wrong {where}. The first wrong elements are "
         "{list}.",
         "The output of shape {shape} is wrong {where}."},
        values);
  }
  if (indices.empty()) return "";
  return writer->Say({"The first wrong elements of the output of shape {shape} are {list}.",
                      "The output of shape {shape} is wrong, first at {list}."},
                     values);
}

std::string Likely(const Verdict& verdict, SentenceWriter* writer) {
  if (!verdict.diagnosis || verdict.reason == "other_layout" || writer->OneIn(2)) return "";
  const ErrorPattern* const pattern = ErrorPatternNamed(verdict.diagnosis->pattern);
  if (pattern == nullptr) return "";
  return "Likely cause: " + std::string(pattern->cause) + ".";
}

// The feedback as the JSON reply of a service.
std::string AsJson(const Verdict& verdict) {
  Json::Object object = {{"status", std::string(StatusName(verdict.status))},
                         {"reason", verdict.reason}};
  Json::Array messages;
  if (const std::string own = Messages(verdict); !own.empty()) messages.emplace_back(own);
  for (const std::string& line : FindingsByLine(verdict)) messages.emplace_back(line);
  if (!messages.empty()) object["messages"] = std::move(messages);
  if (verdict.diagnosis) {
    Json::Array first;
    for (const VerdictElement& element : verdict.diagnosis->elements) {
      first.emplace_back(ToJson(element.index));
    }
    object["shape"] = ToJson(verdict.diagnosis->shape);
    object["wrong_at"] = std::move(first);
    if (!verdict.diagnosis->where.empty()) object["where"] = verdict.diagnosis->where;
  }
  return Block("json", Json(std::move(object)).Dump());
}

// The feedback as sentences and list items.
std::string InWords(const Verdict& verdict, SentenceWriter* writer) {
  const std::string why(ExplainVerdictReason(verdict.status, verdict.reason));
  const std::string messages = Messages(verdict);
  const std::vector<std::string> findings = FindingsByLine(verdict);
  std::string text;
  const auto add = [&](const std::string& part, std::string_view between) {
    if (!part.empty()) text += (text.empty() ? "" : std::string(between)) + part;
  };
  // A message or finding says what went wrong.
  const bool speaks = !messages.empty() || !findings.empty();
  if (!why.empty() && !(speaks && writer->OneIn(3))) {
    add(writer->Say({"The answer is not accepted: {why}.", "Your program fails: {why}."},
                    {{"why", why}}),
        "");
  }
  if (!messages.empty()) add(Block("", messages), "\n\n");
  const std::string bullet = writer->Choose("[- |* |]");
  std::string list;
  for (const std::string& line : findings) list += (list.empty() ? "" : "\n") + bullet + line;
  add(bullet.empty() && !list.empty() ? Block("", list) : list, "\n\n");
  if (verdict.diagnosis) add(Extent(*verdict.diagnosis, writer), speaks ? "\n\n" : " ");
  add(Likely(verdict, writer), " ");
  if (verdict.reason == "other_layout") {
    add("It was called with inputs of other strides, which have the same values.", " ");
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string RepairFeedback(const Verdict& verdict, PromptLanguage language,
                           const Wording& wording) {
  SentenceWriter writer(wording, "repair feedback");
  std::string feedback;
  switch (writer.Index(8)) {
    case 0:
      feedback = Cut(FeedbackText(verdict));
      break;
    case 1:
      feedback = Block("", Cut(FeedbackText(verdict)));
      break;
    case 2:
    case 3:
      feedback = AsJson(verdict);
      break;
    default:
      feedback = Cut(InWords(verdict, &writer));
  }
  if (feedback.empty()) feedback = Cut(FeedbackText(verdict));
  const SentenceVariants english = {
      "I ran your program, and this is the result:\n\n{feedback}\n\nPlease find the cause and send "
      "the complete corrected program.",
      "This is what our test reports:\n\n"
      "{feedback}\n\n"
      "What is wrong? Please explain it briefly and give the whole program again.",
      "{feedback}\n\nPlease explain the mistake and reply with the full corrected program.",
      "Your kernel was compiled and run on test inputs. It was not accepted:\n\n{feedback}\n\nFix "
      "the error and return the complete code."};
  const SentenceVariants chinese = {
      "{feedback}\n\n请修正后重新给出完整程序。",
      "运行结果如下：\n\n{feedback}\n\n请找出原因，并给出修正后的完整代码。",
      "测试没有通过：\n\n{feedback}\n\n请改正，并给出完整程序。"};
  const bool in_chinese = language == PromptLanguage::kChinese;
  const std::string text = writer.Say(in_chinese ? chinese : english, {{"feedback", feedback}});
  return in_chinese ? WithSpacesAroundLatin(text) : text;
}

}  // namespace kernelmill
