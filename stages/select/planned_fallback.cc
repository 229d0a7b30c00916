#include "stages/select/planned_fallback.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "corpora/operators/called_name.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

constexpr std::array<std::string_view, 22> kPlans = {"fall back to",     "falls back to",
                                                     "falling back to",  "fallback to",
                                                     "fall back on",     "falling back on",
                                                     "as a fallback",    "use a fallback",
                                                     "delegate to",      "let's just use",
                                                     "i'll just use",    "i will just use",
                                                     "just call",        "simply call",
                                                     "let's simply use", "i'll simply use",
                                                     "回退到",           "退回到",
                                                     "直接调用",         "直接用",
                                                     "直接使用",         "交给"};
// Before the plan, they say no to it.
constexpr std::array<std::string_view, 21> kRefusals = {
    "not ",       "n't ",        "never ", "avoid", "without ", "no ",  "cannot ",
    "instead of", "rather than", "不能",   "不要",  "不得",     "不可", "不会",
    "不允许",     "避免",        "禁止",   "无需",  "而不是",   "没有", "不应"};
// Anywhere in the sentence, they speak of what is allowed.
constexpr std::array<std::string_view, 7> kRules = {
    "would be cheating", "forbid", "illegal", "prohibit", "allowed", "违反", "作弊"};
// Libraries and words for torch's own computation.
constexpr std::array<std::string_view, 7> kLibraries = {"cublas",        "cudnn", "cutlass", "aten",
                                                        "the reference", "eager", "参考实现"};
// What a function of torch's is called by.
constexpr std::array<std::string_view, 4> kTorch = {"pytorch", "torch", "at", "f"};

bool HasAny(std::string_view text, const auto& phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return text.find(phrase) != text.npos; });
}

// The first place of the word at or after `from`: no name goes on before or after it.
std::size_t FindWord(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != kNone; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || (!IsNamePart(text[at - 1]) && text[at - 1] != '.');
    if (begins && (end == text.size() || !IsNamePart(text[end]))) return at;
  }
  return kNone;
}

// The name after "torch": ".nn.functional.relu" or "::empty_like"; "" if the word stands alone.
std::string_view MemberAt(std::string_view text) {
  std::size_t end = 0;
  for (;;) {
    const std::size_t step = text.substr(end).starts_with("::") ? 2
                             : text.substr(end, 1) == "."       ? 1
                                                                : 0;
    std::size_t next = end + step;
    while (step > 0 && next < text.size() && IsNamePart(text[next])) ++next;
    if (next == end + step) return text.substr(0, end);
    end = next;
  }
}

// Whether a function of torch's computes, rather than making or viewing a tensor.
bool Computes(std::string_view member) {
  const std::size_t last = member.find_last_of(".:");
  const auto& rows = RowsCalled(CalledName(member.substr(last + 1)));
  return std::any_of(rows.begin(), rows.end(), [](const OperatorRow* row) {
    return row->family != OperatorFamily::kShape && row->family != OperatorFamily::kCreation;
  });
}

bool NamesTorch(std::string_view sentence) {
  for (const std::string_view name : kTorch) {
    for (std::size_t at = FindWord(sentence, name, 0); at != kNone;
         at = FindWord(sentence, name, at + 1)) {
      const std::string_view member = MemberAt(sentence.substr(at + name.size()));
      const bool alone = member.empty() && name.ends_with("torch");
      if (alone || (!member.empty() && Computes(member))) return true;
    }
  }
  return false;
}

bool NamesLibrary(std::string_view sentence) {
  return std::any_of(kLibraries.begin(), kLibraries.end(),
                     [&](std::string_view name) { return FindWord(sentence, name, 0) != kNone; });
}

bool SentencePlans(std::string_view sentence) {
  std::size_t plan = kNone;  // Where it begins.
  for (const std::string_view phrase : kPlans) plan = std::min(plan, sentence.find(phrase));
  return plan != kNone && !HasAny(sentence.substr(0, plan), kRefusals) &&
         !HasAny(sentence, kRules) && (NamesTorch(sentence) || NamesLibrary(sentence));
}

// The bytes of the end of a sentence at `at`; 0 if it does not end there.
std::size_t EndAt(std::string_view text, std::size_t at) {
  for (const std::string_view end : {"\n", "!", "?", "。", "！", "？"}) {
    if (text.substr(at).starts_with(end)) return end.size();
  }
  // Not the point of a name such as torch.matmul.
  const bool last =
      at + 1 == text.size() || std::isspace(static_cast<unsigned char>(text[at + 1])) != 0;
  return text[at] == '.' && last ? 1 : 0;
}

}  // namespace

bool PlansFallback(std::string prose) {
  for (char& c : prose) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string_view text = prose;
  std::size_t first = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = EndAt(text, i);
    if (end == 0) continue;
    if (SentencePlans(text.substr(first, i - first))) return true;
    i += end - 1;
    first = i + 1;
  }
  return SentencePlans(text.substr(first));
}

}  // namespace kernelmill
