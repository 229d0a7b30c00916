#include "generators/prompts/write_prompt.h"

#include <algorithm>

#include "generators/prompts/conditions.h"
#include "generators/wording/han_spacing.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {
namespace {

constexpr std::size_t kPerformanceOneIn = 3;

struct AnswerForms {
  PromptLanguage language;
  std::string_view reasoning;
  SentenceVariants forms;
};

// The forms of answer that a prompt can ask for. A derivation at full length is only asked for in
// English.
const std::vector<AnswerForms>& AllAnswerForms() {
  static const std::vector<AnswerForms> kForms = {
      {PromptLanguage::kEnglish,
       kReasoningNone,
       {"Reply with one Python code block and nothing else.", "Output only the code.",
        "Just output the new code, with no other text and no testing code.",
        "Give the complete program in a single code block, without an explanation.", ""}},
      {PromptLanguage::kEnglish,
       kReasoningPlan,
       {"First outline your approach in a few sentences, and then give the complete code.",
        "Explain your approach briefly before the code.",
        "Begin with a short plan, followed by the complete program."}},
      {PromptLanguage::kEnglish,
       kReasoningFull,
       {"Reason step by step before you write the code: what the module computes, one element of "
        "it, the shapes, the index mapping, the boundaries, and what could go wrong. Then give the "
        "complete program.",
        "Explain your design step by step, weigh the alternatives, and end with the complete "
        "program.",
        "Derive the kernels in writing (semantics, shapes, indices, boundaries, likely mistakes), "
        "say why you prefer your design to others, and then give the code."}},
      {PromptLanguage::kChinese,
       kReasoningNone,
       {"只输出一个 Python 代码块。", "请直接给出代码，不需要解释。",
        "请在一个代码块中给出完整程序。"}},
      {PromptLanguage::kChinese,
       kReasoningPlan,
       {"请先简要说明思路，再给出完整代码。", "写代码之前，请用几句话说明设计。"}},
  };
  return kForms;
}

// The system messages that a share of the conversations begins with.
constexpr std::size_t kSystemOneIn = 4;
constexpr std::string_view kEnglishSystems[] = {
    "You are an expert in PyTorch and {backend} kernel programming.",
    "You are an expert GPU kernel engineer. When you write code, write complete code that compiles "
    "and is fully functional.",
    "You are a helpful assistant for developers of {backend} kernels. Correctness comes first, "
    "then speed."};
constexpr std::string_view kChineseSystems[] = {
    "你是一名精通 PyTorch 和 {backend} 核函数编程的专家。",
    "你是一名 GPU 核函数工程师。编写的代码必须完整、可以编译，正确性优先，其次是速度。"};

std::string SystemMessage(PromptLanguage language, const PromptFacts& facts,
                          SentenceWriter* writer) {
  if (!writer->OneIn(kSystemOneIn)) return "";
  const std::string_view pattern = language == PromptLanguage::kChinese
                                       ? kChineseSystems[writer->Index(std::size(kChineseSystems))]
                                       : kEnglishSystems[writer->Index(std::size(kEnglishSystems))];
  return FillTemplate(pattern, facts);
}

std::string AnswerForm(PromptLanguage language, std::string_view reasoning,
                       SentenceWriter* writer) {
  for (const AnswerForms& forms : AllAnswerForms()) {
    if (forms.language == language && forms.reasoning == reasoning) return writer->Say(forms.forms);
  }
  return "";
}

// A filled line of a template; a value can extend it over several lines.
struct FilledLine {
  std::string text;
  bool empty = false;  // The line consisted of placeholders, and all of them were empty.
};

FilledLine FillLine(std::string_view line, const PromptFacts& facts) {
  FilledLine filled;
  bool placeholders = false, words = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t close = line[at] == '{' ? line.find('}', at) : line.npos;
    const auto fact =
        close == line.npos ? facts.end() : facts.find(line.substr(at + 1, close - at - 1));
    if (fact == facts.end()) {
      words = words || line[at] != ' ';
      filled.text += line[at++];
      continue;
    }
    placeholders = true;
    // Templates have spaces around values that are mostly Latin; between Han characters they go.
    if (HanAt(fact->second, 0) && filled.text.ends_with(' ') &&
        EndsInHan(std::string_view(filled.text).substr(0, filled.text.size() - 1))) {
      filled.text.pop_back();
    }
    filled.text += fact->second;
    // The template has its own line breaks.
    while (filled.text.ends_with('\n')) filled.text.pop_back();
    at = close + 1;
    // An empty value also removes the space after it.
    const bool between_han = EndsInHan(fact->second) && HanAt(line, at + 1);
    if ((fact->second.empty() || between_han) && at < line.size() && line[at] == ' ') ++at;
  }
  while (filled.text.ends_with(' ')) filled.text.pop_back();
  filled.empty = placeholders && !words && filled.text.empty();
  return filled;
}

}  // namespace

std::string FillTemplate(std::string_view pattern, const PromptFacts& facts) {
  std::string text;
  bool dropped = false;
  for (std::size_t start = 0; start <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('\n', start), pattern.size());
    const FilledLine line = FillLine(pattern.substr(start, end - start), facts);
    start = end + 1;
    // The blank line after a line that was left out is left out too.
    const bool skipped = line.empty || (dropped && line.text.empty() && text.ends_with("\n\n"));
    dropped = line.empty;
    if (!skipped) text += line.text + '\n';
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::vector<Message> Prompt::Messages() const {
  std::vector<Message> messages;
  if (!system.empty()) messages.push_back({"system", system});
  messages.push_back({"user", text});
  return messages;
}

Prompt WritePrompt(const PromptRequest& request, const KnownTask& known, const Wording& wording) {
  std::vector<const PromptTemplate*> fitting;
  for (const PromptTemplate& item : TemplatesOf(request.family)) {
    const bool spoken = item.language == PromptLanguage::kEnglish || request.may_be_chinese;
    if (spoken && (known.validation || !item.validation)) fitting.push_back(&item);
  }
  const PromptTemplate& chosen = *fitting[wording.Index("prompt template", fitting.size())];
  SentenceWriter writer(wording, "prompt");
  PromptFacts facts = PromptFactsOf(known, request.backend, chosen.language, &writer);
  for (const auto& [name, value] : request.facts) facts[name] = value;
  AddConditions({.language = chosen.language,
                 .any_shape = known.task.shape_contract == "any_shape",
                 .performance = writer.OneIn(kPerformanceOneIn)},
                &writer, &facts);
  facts["answer_form"] =
      FillTemplate(AnswerForm(chosen.language, request.reasoning, &writer), facts);
  std::string text = FillTemplate(writer.Choose(chosen.text), facts);
  // The condition may begin a sentence, with a capital letter.
  const std::string& speed = facts["performance"];
  const bool asks_for_speed = speed.size() > 1 && text.find(speed.substr(1)) != text.npos;
  if (chosen.language == PromptLanguage::kChinese) text = WithSpacesAroundLatin(text);
  SentenceWriter of_system(wording, "system message");
  std::string system = SystemMessage(chosen.language, facts, &of_system);
  return {std::string(chosen.name), chosen.language, std::move(system), std::move(text),
          asks_for_speed};
}

}  // namespace kernelmill
