#include "parsers/inline_cuda.h"

#include <algorithm>
#include <array>

#include "parsers/syntax_tree.h"

namespace kernelmill {
namespace {

// The bytes between a string's quotes; std::nullopt if the string's value differs from them.
std::optional<CudaSpan> ContentOf(const SyntaxNode& string, std::string_view source) {
  const auto parts = string.AllChildren();
  if (parts.size() < 2 || !parts.front().Is("string_start") || !parts.back().Is("string_end")) {
    return std::nullopt;
  }
  const std::string_view start = parts.front().Text();
  if (start.find_first_of("fFbB") != std::string_view::npos) return std::nullopt;
  const CudaSpan span{static_cast<std::int64_t>(parts.front().Last()),
                      static_cast<std::int64_t>(parts.back().First())};
  if (start.find_first_of("rR") != std::string_view::npos) return span;
  const std::string_view text =
      source.substr(parts.front().Last(), parts.back().First() - parts.front().Last());
  for (std::size_t at = text.find('\\'); at != std::string_view::npos;
       at = text.find('\\', at + 2)) {
    if (text.substr(at, 3) != "\\\\\n") return std::nullopt;
  }
  return span;
}

void TakeFunctions(const SyntaxNode& call, std::vector<CudaBinding>* bindings) {
  const std::string_view callee = call.Field("function").Text();
  if (callee != "load_inline" && !callee.ends_with(".load_inline")) return;
  for (const SyntaxNode& argument : call.Field("arguments").Children()) {
    if (!argument.Is("keyword_argument") || argument.Field("name").Text() != "functions") continue;
    const SyntaxNode value = argument.Field("value");
    std::vector<SyntaxNode> items = value.Children();
    if (value.Is("string")) items = {value};
    for (const SyntaxNode& item : items) {
      const auto parts = item.Children();
      if (!item.Is("string") || parts.size() < 3) continue;
      const std::string name(parts[1].Text());
      bindings->push_back({name, name});
    }
  }
}

}  // namespace

bool HoldsNativeSource(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kMarkers = {
      "__global__", "__device__", "<<<", "#include", "#define", "PYBIND11_MODULE", "TORCH_LIBRARY"};
  return std::any_of(kMarkers.begin(), kMarkers.end(), [&](std::string_view marker) {
    return text.find(marker) != std::string_view::npos;
  });
}

std::optional<CudaFile> ReadInlineCuda(std::string_view python) {
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, python);
  std::string text(python);
  for (char& c : text) {
    if (c != '\n') c = ' ';
  }
  std::vector<CudaBinding> bindings;
  bool has_kernel = false;
  SyntaxCursor cursor(tree.Root());
  do {
    const SyntaxNode node = cursor.Node();
    if (node.Is("call")) TakeFunctions(node, &bindings);
    if (node.Is("string") && HoldsNativeSource(node.Text())) {
      if (const auto span = ContentOf(node, python)) {
        const auto first = static_cast<std::size_t>(span->first);
        const auto size = static_cast<std::size_t>(span->last - span->first);
        text.replace(first, size, python.substr(first, size));
        has_kernel = has_kernel || node.Text().find("__global__") != std::string_view::npos;
        // In "\\" at the end of a line, one backslash is Python's escape.
        for (std::size_t at = text.find("\\\\\n", first); at < first + size;
             at = text.find("\\\\\n", at + 3)) {
          text[at] = ' ';
        }
      }
    }
  } while (cursor.ToNext());
  if (!has_kernel) return std::nullopt;
  CudaFile file = CudaFile::Parse(std::move(text));
  file.bindings.insert(file.bindings.end(), bindings.begin(), bindings.end());
  return file;
}

}  // namespace kernelmill
