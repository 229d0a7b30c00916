#include "stages/select/sample_objection.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace kernelmill {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::size_t kSequence = 10, kWindow = 400, kFewestWords = 100;

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The fenced blocks of a message, without their fences, and the text around them. A block without
// an end is left out.
struct Fenced {
  std::vector<std::string_view> blocks;
  std::string prose;
};

Fenced SplitFences(std::string_view text) {
  Fenced result;
  for (;;) {
    const std::size_t open = text.find(kFence);
    result.prose += text.substr(0, open);
    if (open == std::string_view::npos) return result;
    const std::size_t line_end = text.find('\n', open);
    if (line_end == std::string_view::npos) return result;
    const std::size_t close = text.find("\n```", line_end);
    if (close == std::string_view::npos) return result;
    result.blocks.push_back(text.substr(line_end + 1, close - line_end));
    result.prose += '\n';
    text.remove_prefix(close + 1 + kFence.size());
  }
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

bool CodeDiffers(const SampleText& text) {
  std::string_view last;
  for (const std::string_view block : SplitFences(text.message).blocks) {
    if (block.find("class ModelNew") != std::string_view::npos) last = block;
  }
  return !last.empty() && Trimmed(last) != Trimmed(text.judged_code);
}

bool HasAny(std::string_view sentence, const auto& phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) {
    return sentence.find(phrase) != std::string_view::npos;
  });
}

// Whether the sentence, in lower case, says that torch or a library is to compute something. A
// sentence that says no to it, or talks about what is allowed, does not.
bool PlansFallback(std::string_view sentence) {
  static constexpr std::array<std::string_view, 16> kPlans = {
      "fall back to",   "falls back to",   "falling back to", "fallback to",
      "fall back on",   "falling back on", "as a fallback",   "delegate to",
      "let's just use", "i'll just use",   "i will just use", "just call",
      "simply call",    "let's simply use", "i'll simply use", "use a fallback"};
  static constexpr std::array<std::string_view, 9> kTargets = {
      "torch", "f.", "aten", "at::", "cublas", "cudnn", "cutlass", "the reference", "eager"};
  static constexpr std::array<std::string_view, 14> kRefusals = {
      "not ",   "n't ",    "never ", "avoid",  "without ", "no fallback", "forbid",
      "illegal", "cannot ", "would be cheating", "instead of", "rather than", "prohibit",
      "disallow"};
  return HasAny(sentence, kPlans) && HasAny(sentence, kTargets) && !HasAny(sentence, kRefusals);
}

bool PlansFallbackAnywhere(std::string_view text) {
  std::string prose = SplitFences(text).prose;
  std::transform(prose.begin(), prose.end(), prose.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::size_t first = 0;
  for (std::size_t i = 0; i <= prose.size(); ++i) {
    const bool ends = i == prose.size() || prose[i] == '\n' || prose[i] == '!' || prose[i] == '?' ||
                      // Not the point of a name such as torch.matmul.
                      (prose[i] == '.' && (i + 1 == prose.size() || IsSpace(prose[i + 1])));
    if (!ends) continue;
    if (PlansFallback(std::string_view(prose).substr(first, i - first))) return true;
    first = i + 1;
  }
  return false;
}

std::vector<std::uint64_t> HashedWords(std::string_view text) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < text.size();) {
    while (i < text.size() && IsSpace(text[i])) ++i;
    const std::size_t first = i;
    while (i < text.size() && !IsSpace(text[i])) ++i;
    if (i > first) words.push_back(std::hash<std::string_view>()(text.substr(first, i - first)));
  }
  return words;
}

}  // namespace

bool Repeats(std::string_view text) {
  const std::string prose = SplitFences(text).prose;
  const std::vector<std::uint64_t> words = HashedWords(prose);
  if (words.size() < kFewestWords) return false;
  const std::size_t sequences = words.size() - kSequence + 1;
  const std::size_t window = std::min(kWindow, sequences);
  std::unordered_map<std::uint64_t, std::size_t> last;  // Where a sequence stood last.
  std::vector<bool> again(sequences);
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < sequences; ++i) {
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < kSequence; ++k) hash = (hash ^ words[i + k]) * 0x9E3779B97F4A7C15u;
    const auto [found, fresh] = last.try_emplace(hash, i);
    again[i] = !fresh && i - found->second <= kWindow;
    found->second = i;
    repeated += again[i];
    if (i >= window) repeated -= again[i - window];
    if (i + 1 >= window && 2 * repeated >= window) return true;
  }
  return false;
}

std::string_view SampleObjection(const SampleText& text) {
  if (text.finish_reason == "length" || !text.reasoning_closed) return "cut_off";
  if (Repeats(text.reasoning) || (!text.code_only && Repeats(text.message))) {
    return "reasoning_loops";
  }
  if (PlansFallbackAnywhere(text.reasoning) ||
      (!text.code_only && PlansFallbackAnywhere(text.message))) {
    return "plans_fallback";
  }
  if (!text.code_only && CodeDiffers(text)) return "code_differs";
  return "";
}

}  // namespace kernelmill
