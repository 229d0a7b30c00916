#include "stages/publishable/forbidden_text.h"

#include <algorithm>
#include <array>

#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr std::array<std::string_view, 12> kMarkers = {
    "<think>",         "</think>",      "[INST]",      "[/INST]",      "<<SYS>>", "<</SYS>>",
    "<start_of_turn>", "<end_of_turn>", "<tool_call>", "</tool_call>", "<\uff5c", "\uff5c>"};

enum class Letters { kUpper, kWord, kDashed };

// A secret starts with `prefix`; at least `least` characters of `letters` follow.
struct Form {
  std::string_view prefix;
  Letters letters;
  std::size_t least;
};
// Sources: the issuers' documentation of their token formats.
constexpr Form kForms[] = {
    {"AKIA", Letters::kUpper, 16},    {"ASIA", Letters::kUpper, 16},
    {"ghp_", Letters::kWord, 36},     {"gho_", Letters::kWord, 36},
    {"ghu_", Letters::kWord, 36},     {"ghs_", Letters::kWord, 36},
    {"ghr_", Letters::kWord, 36},     {"github_pat_", Letters::kWord, 22},
    {"glpat-", Letters::kDashed, 20}, {"hf_", Letters::kWord, 30},
    {"sk-", Letters::kDashed, 32},    {"xoxb-", Letters::kDashed, 20},
    {"xoxp-", Letters::kDashed, 20},  {"xoxa-", Letters::kDashed, 20},
    {"xoxs-", Letters::kDashed, 20},  {"AIza", Letters::kDashed, 35},
    {"npm_", Letters::kWord, 36},     {"pypi-AgE", Letters::kDashed, 40},
    {"dop_v1_", Letters::kWord, 64},  {"SG.", Letters::kDashed, 22},
    {"sk_live_", Letters::kWord, 24}, {"rk_live_", Letters::kWord, 24},
};

bool IsLetter(char c, Letters letters) {
  if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  if (letters == Letters::kUpper) return false;
  return (c >= 'a' && c <= 'z') || c == '_' || (letters == Letters::kDashed && c == '-');
}

std::size_t RunLength(std::string_view text, std::size_t at, Letters letters) {
  std::size_t last = at;
  while (last < text.size() && IsLetter(text[last], letters)) ++last;
  return last - at;
}

// Whether the text has digits and letters, as a random key does.
bool LooksRandom(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto digits = std::count_if(text.begin(), text.end(), digit);
  return digits >= 2 && digits < static_cast<long>(text.size());
}

// Whether the text contains "<|", a name and "|>".
bool HasBarMarker(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  for (auto at = text.find("<|"); at != std::string_view::npos; at = text.find("<|", at + 2)) {
    const auto end = text.substr(at + 2, kLongest).find("|>");
    if (end == std::string_view::npos || end == 0) continue;
    const std::string_view name = text.substr(at + 2, end);
    if (name.find_first_of("\n\"'|<>") == std::string_view::npos) return true;
  }
  return false;
}

// The span of a secret that starts at `at`; empty when there is none.
Span SecretAt(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("-----BEGIN ")) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (line.find("PRIVATE KEY") == std::string_view::npos) return {};
    const auto end = rest.find("-----END ");
    const auto close = end == std::string_view::npos ? end : rest.find("-----", end + 9);
    return {at, close == std::string_view::npos ? text.size() : at + close + 5};
  }
  if (at > 0 && IsLetter(text[at - 1], Letters::kWord)) return {};
  for (const Form& form : kForms) {
    if (!rest.starts_with(form.prefix)) continue;
    const std::size_t from = at + form.prefix.size();
    const std::size_t length = RunLength(text, from, form.letters);
    if (length >= form.least && LooksRandom(text.substr(from, length))) return {at, from + length};
  }
  // A signed token: three parts in base64, the first two of them JSON objects.
  if (rest.starts_with("eyJ")) {
    const std::size_t first = RunLength(text, at, Letters::kDashed);
    if (first < 12 || !text.substr(at + first).starts_with(".eyJ")) return {};
    const std::size_t second = RunLength(text, at + first + 1, Letters::kDashed);
    std::size_t last = at + first + 1 + second;
    if (last < text.size() && text[last] == '.') {
      last += 1 + RunLength(text, last + 1, Letters::kDashed);
    }
    return {at, last};
  }
  return {};
}

}  // namespace

bool HasChatMarker(std::string_view text) {
  return HasBarMarker(text) ||
         std::any_of(kMarkers.begin(), kMarkers.end(), [&](std::string_view marker) {
           return text.find(marker) != std::string_view::npos;
         });
}

std::vector<Span> FindSecrets(std::string_view text) {
  // The first characters of the forms, to skip most of the text quickly.
  static constexpr std::string_view kStarts = "AghsxndSrpe-";
  std::vector<Span> found;
  for (std::size_t at = text.find_first_of(kStarts); at != std::string_view::npos;
       at = text.find_first_of(kStarts, at)) {
    const Span span = SecretAt(text, at);
    if (span.last > at) found.push_back(span);
    at = std::max(at + 1, span.last);
  }
  return found;
}

std::string_view RefuseText(std::string_view text) {
  if (HasChatMarker(text)) return "chat_marker";
  // Line ends of either kind are harmless, and form feeds, which some editors put between
  // definitions.
  std::string shown(text);
  for (auto at = shown.find("\r\n"); at != std::string::npos; at = shown.find("\r\n", at)) {
    shown.erase(at, 1);
  }
  std::erase(shown, '\f');
  if (Printable(shown) != shown) return "hidden_character";
  return FindSecrets(text).empty() ? "" : "secret";
}

std::string MaskSecrets(std::string_view text) {
  std::string masked(text);
  for (const Span& span : FindSecrets(text)) {
    std::fill(masked.begin() + static_cast<long>(span.first),
              masked.begin() + static_cast<long>(span.last), '*');
  }
  return masked;
}

}  // namespace kernelmill
