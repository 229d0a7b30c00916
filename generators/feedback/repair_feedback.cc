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
        {"The output of shape {shape} is wrong {where}[; the first elements: {list}|].",
         "[Wrong|It differs] {where}[, in an output of shape {shape}|].",
         "[Errors|Differences] in {shape}: {where}[ ({list} …)|]."},
        values);
  }
  if (indices.empty()) return "";
  return writer->Say({"The output of shape {shape} is wrong at {list}[ first|].",
                      "[First|Among the first] wrong elements of {shape}: {list}.",
                      "{list} [differ|do not match] in the output of shape {shape}.",
                      "In {shape} [it begins|errors begin] [at|with] {list}.",
                      "[Look at|See] {list}[ of the output|, shape {shape}|]."},
                     values);
}

std::string Likely(const Verdict& verdict, SentenceWriter* writer) {
  if (!verdict.diagnosis || verdict.reason == "other_layout" || writer->OneIn(2)) return "";
  const ErrorPattern* const pattern = ErrorPatternNamed(verdict.diagnosis->pattern);
  if (pattern == nullptr) return "";
  return writer->Say(
      {"Likely cause: {hint}.", "[It looks like|That looks like|Maybe] {hint}.",
       "[Hint|Suspicion|A guess]: {hint}.", "[Usually|Often]: {hint}.", "Likely cause: {cause}."},
      {{"hint", std::string(pattern->hint)}, {"cause", std::string(pattern->cause)}});
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
    add(writer->Say({"{Why}.", "[Not accepted|Rejected|Refused|Failed]: {why}.",
                     "[No|Wrong|Wrong answer]: {why}.", "Verdict: {why}."},
                    {{"why", why}, {"Why", Capital(why)}}),
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
    add(writer->Choose(
            "[The inputs were not contiguous|It was called with inputs of other strides], "
            "[with the same values|the values were the same]."),
        " ");
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
      "{feedback}\n\n[Send|Give me] [the whole program|all of it] again, corrected.",
      "[I ran it|A run gave this|Here is what happened|This came "
      "back][.|:]\n\n{feedback}\n\n[Please "
      "fix it|Fix it|Mend it] and give the complete code.",
      "[The verifier|The test|Our check|CI] [says|reports]:\n\n{feedback}\n\n[What is the "
      "corrected "
      "version|How does it have to look]?",
      "{feedback}\n\n[Find the cause|Look for the cause] and reply with the [full |]corrected "
      "answer.",
      "[That did not pass|No success|Not yet|Almost].\n\n{feedback}\n\n[Try again|Again, "
      "please|Once "
      "more]; I need the complete program.",
      "{feedback}\n\n[Correct it[, please|].|Mend it[, please|].|What is wrong?] [All of it|The "
      "complete code|A whole program] again.",
      "[Tried it|Tested]:\n\n{feedback}\n\n[Next version|New attempt|Corrected program], please."};
  const SentenceVariants chinese = {
      "{feedback}\n\n请[修正|改正]后[重新|再次]给出[完整程序|全部代码]，说明[请|]用英文。",
      "[验证|测试|运行][结果|输出][如下|]：\n\n{feedback}\n\n请[找出原因（用英文说明）|"
      "用英文说明原因]并给出"
      "[修正|改正]后的[完整|]代码。",
      "[没有通过|还不对|失败了|不行]。\n\n{feedback}\n\n请[改正|修改]，[并|]给出完整[代码|程序]；["
      "如需说明请用"
      "英文|说明用英文]。",
      "{feedback}\n\n[哪里错了？|问题在哪里？]请[重写|改好][整个程序|全部代码]，[原因|说明]"
      "用英文。",
      "[以下是|得到的][反馈|输出]：\n\n{feedback}\n\n请给出[下一版|新的][完整|]程序（[英文说明|"
      "说明用英文]）。"};
  const bool in_chinese = language == PromptLanguage::kChinese;
  const std::string text = writer.Say(in_chinese ? chinese : english, {{"feedback", feedback}});
  return in_chinese ? WithSpacesAroundLatin(text) : text;
}

}  // namespace kernelmill
