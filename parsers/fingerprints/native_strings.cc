#include "parsers/fingerprints/native_strings.h"

#include "parsers/inline_cuda.h"

namespace kernelmill {
namespace {

// What stands for the value of an f-string's field.
constexpr std::string_view kField = "interpolated";

// Resolves the escapes that native source in Python strings has: "\n", "\\", "\"", "\" before the
// end of a line. Others stay as they are written.
std::string Unescaped(std::string_view text) {
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      value += text[i];
      continue;
    }
    switch (const char c = text[++i]; c) {
      case 'n': value += '\n'; break;
      case 't': value += '\t'; break;
      case '\n': break;
      case '\\':
      case '"':
      case '\'': value += c; break;
      default: value += '\\', value += c;
    }
  }
  return value;
}

std::string WithoutDoubledBraces(std::string_view text) {
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    value += text[i];
    if ((text[i] == '{' || text[i] == '}') && text.substr(i + 1, 1) == text.substr(i, 1)) ++i;
  }
  return value;
}

std::string ValueOf(const SyntaxNode& string, std::string_view source) {
  const auto parts = string.AllChildren();
  if (parts.size() < 2) return "";
  const std::string_view start = parts.front().Text();
  const bool raw = start.find_first_of("rR") != std::string_view::npos;
  const bool format = start.find_first_of("fF") != std::string_view::npos;
  std::string value;
  std::size_t at = parts.front().Last();
  const auto take = [&](std::size_t last) {
    const std::string_view text = source.substr(at, last - at);
    const std::string part = raw ? std::string(text) : Unescaped(text);
    value += format ? WithoutDoubledBraces(part) : part;
  };
  for (const SyntaxNode& part : parts) {
    if (!part.Is("interpolation")) continue;
    take(part.First());
    value += kField;
    at = part.Last();
  }
  take(parts.back().First());
  return value;
}

}  // namespace

std::vector<std::string> NativeStrings(const SyntaxNode& root) {
  // A node's offsets are those of the whole text, which begins where its root's parent does.
  const std::string_view source(root.Text().data() - root.First(), root.Last());
  std::vector<std::string> sources;
  SyntaxCursor cursor(root);
  for (bool into = true;; into = true) {
    const SyntaxNode node = cursor.Node();
    std::string value;
    if (node.Is("concatenated_string")) {
      for (const SyntaxNode& part : node.Children()) value += ValueOf(part, source);
      into = false;
    } else if (node.Is("string")) {
      value = ValueOf(node, source);
      into = false;
    }
    if (HoldsNativeSource(value)) sources.push_back(std::move(value));
    if (!cursor.ToNext(into)) return sources;
  }
}

}  // namespace kernelmill
