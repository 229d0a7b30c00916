#include "stages/select/sample_objection.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "parsers/samples/fenced_text.h"
#include "stages/select/planned_fallback.h"

namespace kernelmill {
namespace {

constexpr std::size_t kSequence = 10, kWindow = 400, kFewestWords = 100;

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

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

// The bytes of the character that begins with `c`, if it is none of ASCII; otherwise 1.
std::size_t CharacterSize(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

// Words end at white space, and each character of three bytes or more is one: Chinese has no white
// space between words.
std::vector<std::uint64_t> HashedWords(std::string_view text) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < text.size();) {
    while (i < text.size() && IsSpace(text[i])) ++i;
    const std::size_t first = i;
    if (i < text.size() && CharacterSize(text[i]) > 2) {
      i = std::min(text.size(), i + CharacterSize(text[i]));
    } else {
      while (i < text.size() && !IsSpace(text[i]) && CharacterSize(text[i]) <= 2) ++i;
    }
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
  if (text.cut) return "cut_off";
  if (Repeats(text.reasoning) || (!text.code_only && Repeats(text.message))) {
    return "reasoning_loops";
  }
  if (PlansFallback(SplitFences(text.reasoning).prose) ||
      (!text.code_only && PlansFallback(SplitFences(text.message).prose))) {
    return "plans_fallback";
  }
  if (!text.code_only && CodeDiffers(text)) return "code_differs";
  return "";
}

}  // namespace kernelmill
