#include "generators/prompts/write_prompt.h"

#include <algorithm>

namespace kernelmill {
namespace {

constexpr std::size_t kPerformanceOneIn = 3;

struct AnswerForms {
  PromptLanguage language;
  std::string_view reasoning;
  std::vector<std::string_view> forms;
};

// The prose of answers is English: a Chinese question says so.
const std::vector<AnswerForms>& AllAnswerForms() {
  static const std::vector<AnswerForms> kForms = {
      {PromptLanguage::kEnglish,
       kReasoningNone,
       {"Reply with one Python code block and nothing else.", "Code only, please.",
        "Give the complete program in a single fenced block, without commentary.",
        "Output just the code.", "No explanation is needed; one code block will do."}},
      {PromptLanguage::kEnglish,
       kReasoningPlan,
       {"Sketch the plan in a few lines, then give the code.",
        "Begin with a short plan; the complete program follows in one code block.",
        "Say briefly how you will do it before the code.",
        "A short outline first, then one fenced block with everything.",
        "State your design in brief, then the full code."}},
      {PromptLanguage::kEnglish,
       kReasoningFull,
       {"Reason it through before you write the code: what is computed, the shapes, the index "
        "mapping, the boundaries, and what could go wrong.",
        "Explain the derivation step by step, from the semantics to the launch, and end with the "
        "code.",
        "Derive the kernel in writing first. The last block of the answer is the complete program.",
        "Think about semantics, shapes, indices, limits and likely mistakes in the open, then "
        "give the code.",
        "Work through the design in detail; put the finished program at the end."}},
      {PromptLanguage::kChinese,
       kReasoningNone,
       {"只需给出一个 Python 代码块，不要其他内容。", "直接给出代码即可。",
        "请在一个代码块中给出完整程序，不必解释。", "只输出代码。"}},
      {PromptLanguage::kChinese,
       kReasoningPlan,
       {"先用几句英文说明思路，再给出代码。", "请先用英文写一个简短的方案，然后给出完整程序。",
        "代码之前请用英文简要说明设计。", "先列出要点（用英文），再在一个代码块中给出全部代码。"}},
      {PromptLanguage::kChinese,
       kReasoningFull,
       {"请先用英文逐步推导：语义、形状、索引映射、边界以及容易出错的地方，最后给出代码。",
        "请用英文详细写出设计过程，完整程序放在回答的最后。",
        "写代码之前，先用英文把计算内容、索引关系、边界处理和可能的错误分析清楚。",
        "请用英文一步一步说明核函数是如何得出的，最后给出全部代码。"}},
  };
  return kForms;
}

std::string AnswerForm(PromptLanguage language, std::string_view reasoning,
                       const Wording& wording) {
  for (const AnswerForms& forms : AllAnswerForms()) {
    if (forms.language == language && forms.reasoning == reasoning) {
      return std::string(wording.Pick("answer form", forms.forms));
    }
  }
  return "";
}

// One line of a template, which may become several.
struct FilledLine {
  std::string text;
  bool empty = false;  // Nothing was left of its placeholders, and it had no more than these.
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
    filled.text += fact->second;
    // The template ends its lines itself.
    while (filled.text.ends_with('\n')) filled.text.pop_back();
    at = close + 1;
    // Nothing takes the space behind it along.
    if (fact->second.empty() && at < line.size() && line[at] == ' ') ++at;
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
    // The blank line behind one that is left out goes with it.
    const bool skipped = line.empty || (dropped && line.text.empty() && text.ends_with("\n\n"));
    dropped = line.empty;
    if (!skipped) text += line.text + '\n';
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Prompt WritePrompt(const PromptRequest& request, const KnownTask& known, const Wording& wording) {
  std::vector<const PromptTemplate*> fitting;
  for (const PromptTemplate& item : TemplatesOf(request.family)) {
    if (known.validation || !item.validation) fitting.push_back(&item);
  }
  const PromptTemplate& chosen = *fitting[wording.Index("prompt template", fitting.size())];
  PromptFacts facts = PromptFactsOf(known, request.backend, chosen.language);
  for (const auto& [name, value] : request.facts) facts[name] = value;
  const bool any_shape = known.task.shape_contract == "any_shape";
  facts["contract"] = FillTemplate(any_shape ? chosen.any_shape : chosen.fixed_shapes, facts);
  const bool fast = wording.Index("performance request", kPerformanceOneIn) == 0;
  facts["performance"] = fast ? FillTemplate(chosen.performance, facts) : "";
  facts["answer_form"] = AnswerForm(chosen.language, request.reasoning, wording);
  return {std::string(chosen.name), chosen.language, FillTemplate(chosen.text, facts)};
}

}  // namespace kernelmill
