#include "generators/dataset_pages/markup.h"

#include "manifests/json.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string WithEntities(std::string_view text, std::string_view special) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // In Markdown, an underscore within a word is not emphasis.
    const bool in_word =
        c == '_' && i > 0 && i + 1 < text.size() && IsWord(text[i - 1]) && IsWord(text[i + 1]);
    if (special.find(c) == std::string_view::npos || in_word) {
      escaped += c;
    } else {
      escaped += "&#" + std::to_string(static_cast<int>(c)) + ";";
    }
  }
  return escaped;
}

}  // namespace

std::string HtmlText(std::string_view text) { return WithEntities(PrintableLine(text), "&<>\"'"); }

std::string MarkdownText(std::string_view text) {
  return WithEntities(PrintableLine(text), "&<>\"'\\`*_{}[]()#|~$!^");
}

std::string YamlText(std::string_view text) { return Json(PrintableLine(text)).Dump(); }

}  // namespace kernelmill
