#include "stages/publishable/redaction.h"

#include <algorithm>
#include <array>
#include <optional>

#include "manifests/ascii.h"
#include "parsers/syntax_tree.h"
#include "stages/publishable/forbidden_text.h"

namespace kernelmill {
namespace {

constexpr std::string_view kEmail = "somebody@example.com";
constexpr std::string_view kAddress = "192.0.2.1";  // Reserved for documentation (RFC 5737).

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool IsLocal(char c) {
  return IsAlphanumeric(c) || std::string_view("._%+-").find(c) != std::string_view::npos;
}
bool IsDomain(char c) { return IsAlphanumeric(c) || c == '-' || c == '.'; }

bool IsReserved(std::string_view domain) {
  constexpr std::array<std::string_view, 7> kReserved = {
      "example.com", "example.org", "example.net", ".invalid", ".example", ".test", ".localhost"};
  return std::any_of(kReserved.begin(), kReserved.end(),
                     [&](std::string_view end) { return domain.ends_with(end); });
}

struct Piece {
  std::size_t first, last;
  std::string_view by;
};

// An e-mail address around the "@" at `at`.
std::optional<Piece> EmailAround(std::string_view text, std::size_t at) {
  std::size_t first = at, last = at + 1;
  while (first > 0 && IsLocal(text[first - 1])) --first;
  while (last < text.size() && IsDomain(text[last])) ++last;
  while (last > at + 1 && !IsAlphanumeric(text[last - 1])) --last;
  const std::string_view domain = text.substr(at + 1, last - at - 1);
  const auto dot = domain.rfind('.');
  if (first == at || dot == std::string_view::npos || dot == 0 || IsReserved(domain)) return {};
  const std::string_view top = domain.substr(dot + 1);
  if (top.size() < 2 || std::any_of(top.begin(), top.end(), IsDigit)) return {};
  return Piece{first, last, kEmail};
}

// An IPv4 address at `at` that is neither private nor reserved.
std::optional<Piece> AddressAt(std::string_view text, std::size_t at) {
  const auto part_of_more = [](char c) { return IsAlphanumeric(c) || c == '.' || c == '_'; };
  if (at > 0 && part_of_more(text[at - 1])) return {};
  std::array<int, 4> numbers{};
  std::size_t last = at;
  for (int i = 0; i < 4; ++i) {
    if (i > 0 && (last >= text.size() || text[last++] != '.')) return {};
    const std::size_t begin = last;
    while (last < text.size() && IsDigit(text[last]) && last - begin < 4) {
      numbers[i] = numbers[i] * 10 + (text[last++] - '0');
    }
    if (last == begin || numbers[i] > 255) return {};
  }
  if (last < text.size() && (part_of_more(text[last]) && text[last] != '.')) return {};
  if (last + 1 < text.size() && text[last] == '.' && IsDigit(text[last + 1])) return {};
  const auto [a, b, c, d] = numbers;
  const bool reserved = a == 0 || a == 10 || a == 127 || a >= 224 || (a == 192 && b == 168) ||
                        (a == 172 && b >= 16 && b < 32) || (a == 169 && b == 254) ||
                        (a == 192 && b == 0 && c == 2) || (a == 198 && b == 51 && c == 100) ||
                        (a == 203 && b == 0 && c == 113);
  // Version numbers look the same, and few networks start with a number this small.
  if (reserved || a < 11 || d == 0) return {};
  return Piece{at, last, kAddress};
}

// Appends `text` to `out` with its personal data replaced.
void AppendRedacted(std::string_view text, bool fences, Redacted* out) {
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::optional<Piece> piece;
    if (text[at] == '@') piece = EmailAround(text, at);
    if (IsDigit(text[at])) piece = AddressAt(text, at);
    if (fences && text.substr(at).starts_with("```")) piece = Piece{at, at + 3, "~~~"};
    if (!piece || piece->first < done) continue;
    out->text.append(text, done, piece->first - done);
    out->text += piece->by;
    ++out->count;
    done = piece->last;
    at = piece->last - 1;
  }
  out->text.append(text, done);
}

}  // namespace

Redacted RedactWholeText(std::string_view text) {
  Redacted redacted;
  AppendRedacted(text, false, &redacted);
  return redacted;
}

std::string QuarantinedText(std::string_view text) {
  return RedactWholeText(MaskSecrets(text)).text;
}

Redacted RedactPython(const std::string& text) {
  Redacted redacted;
  // If nothing in the text would be replaced, it need not be parsed.
  AppendRedacted(text, true, &redacted);
  if (redacted.count == 0) return redacted;
  redacted = Redacted();
  std::size_t done = 0;
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, text);
  SyntaxCursor cursor(tree.Root());
  bool prose = false;
  do {
    const SyntaxNode node = cursor.Node();
    prose = node.Is("comment") || node.Is("string_content");
    if (prose && node.First() >= done) {
      redacted.text.append(text, done, node.First() - done);
      AppendRedacted(node.Text(), true, &redacted);
      done = node.Last();
    }
  } while (cursor.ToNext(!prose));
  redacted.text.append(text, done);
  return redacted;
}

}  // namespace kernelmill
