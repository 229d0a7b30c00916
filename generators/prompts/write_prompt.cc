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

// The forms of answer that a prompt can ask for. Answers are in English, so a Chinese prompt asks
// for that.
const std::vector<AnswerForms>& AllAnswerForms() {
  static const std::vector<AnswerForms> kForms = {
      {PromptLanguage::kEnglish,
       kReasoningNone,
       {"[Reply|Answer] with [one|a] [Python |]code block[ and nothing else| only|].",
        "[Code|The code|The program] only[, please|].",
        "[Give|Send] [the [complete|whole] program|all of it] in [a single|one] [fenced |]block[, "
        "[without|no] commentary|].",
        "[Output|Print|Return|I want] just the [code|program].",
        "No [explanation|commentary|prose][ is needed|][; one code block[ will do| is "
        "enough|]|].",
        "[Just|Only] [{backend}|the {backend} program|`ModelNew` and its kernels].", ""}},
      {PromptLanguage::kEnglish,
       kReasoningPlan,
       {"[Sketch|Outline|Give|Show] [the|your] [plan|idea|approach] [in a few lines|briefly|in "
        "short|first], then [give |]the [code|program].",
        "[Begin|Start] with a [short |brief |]plan[ of the kernels|]; the [complete|whole] program "
        "[follows|comes after that].",
        "Say [briefly|in short|in a few words] how [you will do it|`ModelNew` works|the kernels "
        "work] before the [code|program].",
        "A [short|brief] [outline|plan|design] [first|in front], then [one fenced block|the code|"
        "everything].",
        "[State|Describe] [your|the] design in [brief|short|a few sentences], then the [full "
        "|whole |]code.",
        "[Plan|Outline|Design] first, code second[; keep the [plan|first] short|].",
        "[A few words|Some lines] [on|about] [the kernels|{operators}|your approach], and the "
        "program."}},
      {PromptLanguage::kEnglish,
       kReasoningFull,
       {"Reason it through before [you write the code|the code][: [what is computed, the shapes, "
        "the index mapping, the boundaries, and what could go wrong|meaning, shapes, indices, "
        "limits]|].",
        "[Explain|Write down] the derivation step by step[, from the semantics to the launch,|] "
        "and end with the [code|program].",
        "Derive [the kernel|`ModelNew`|the kernels] in writing first[. The last block of the "
        "answer "
        "is the [complete |]program|].",
        "Think about [semantics, shapes, indices, limits and likely mistakes|shapes, indices and "
        "limits|{operators}, their shapes and indices] [in the open|in writing], then give the "
        "code.",
        "Work through [the design|{operators}|everything] in detail[; [put|with] the finished "
        "program at the end|].",
        "[Every|Each] step of [the|your] reasoning, please, and [at the end|then] the "
        "[program|code]."}},
      {PromptLanguage::kChinese,
       kReasoningNone,
       {"只[需|要][给出|输出]一个[ Python |]代码块[，不要其他内容|]。",
        "直接给出[代码|程序][即可|]。", "请在一个代码块中[给出|写出]完整程序[，不必解释|]。",
        "只[输出|要|写]代码。", "[不需要|不要|无需][解释|说明]。"}},
      {PromptLanguage::kChinese,
       kReasoningPlan,
       {"先用[几句|简短的]英文说明[思路|做法|设计]，再给出[代码|程序]。",
        "请先用英文写一个[简短的|]方案，然后给出[完整程序|代码]。",
        "代码之前请用英文[简要|]说明[设计|{operators} 如何计算]。",
        "先列出要点（用英文），再[在一个代码块中|]给出[全部|]代码。"}},
      {PromptLanguage::kChinese,
       kReasoningFull,
       {"请先用英文逐步推导[：语义、索引、边界|形状和索引|]，最后给出[代码|程序]。",
        "请用英文详细写出[设计|推导]过程，[完整程序|代码]放在[回答的|]最后。",
        "写代码之前，先用英文[分析|写清][计算内容和可能的错误|形状、索引和边界|{operators} "
        "的索引关系]。",
        "请用英文一步一步说明[核函数|`ModelNew`]是如何得出的，最后给出[全部|]代码。"}},
  };
  return kForms;
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

Prompt WritePrompt(const PromptRequest& request, const KnownTask& known, const Wording& wording) {
  std::vector<const PromptTemplate*> fitting;
  for (const PromptTemplate& item : TemplatesOf(request.family)) {
    if (known.validation || !item.validation) fitting.push_back(&item);
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
  if (chosen.language == PromptLanguage::kChinese) text = WithSpacesAroundLatin(text);
  return {std::string(chosen.name), chosen.language, std::move(text)};
}

}  // namespace kernelmill
