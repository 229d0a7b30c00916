#include "parsers/cuda_file.h"

#include <algorithm>

#include "parsers/cuda_attributes.h"
#include "parsers/cuda_items.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {
namespace {

// The rest of the line at `first`, with the lines that a backslash joins to it.
std::string_view LogicalLine(std::string_view text, std::size_t first) {
  std::size_t end = text.find('\n', first);
  while (end != std::string_view::npos && end > 0 &&
         (text[end - 1] == '\\' || (text[end - 1] == '\r' && end > 1 && text[end - 2] == '\\'))) {
    end = text.find('\n', end + 1);
  }
  return text.substr(first, end == std::string_view::npos ? end : end - first);
}

// Whether it is an include guard: `#ifndef X` that begins with `#define X` and has no other branch.
bool IsIncludeGuard(const SyntaxNode& node, const std::vector<SyntaxNode>& children) {
  if (!node.Is("preproc_ifdef") || node.Field("alternative") || children.size() < 2) return false;
  return node.Text().starts_with("#ifndef") && children[1].Is("preproc_def") &&
         !children[1].Field("value") && children[1].Field("name").Text() == children[0].Text();
}

class FileReader {
 public:
  explicit FileReader(CudaFile* file) : file_(file), blanked_(BlankAttributes(file->source)) {}

  void Read() {
    const SyntaxTree tree = SyntaxTree::Parse(Grammar::kCuda, blanked_.text);
    CudaItemReader items(file_->source, blanked_, &file_->bindings);
    pending_ = {{tree.Root(), -1}};
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      if (Open(next)) continue;
      std::optional<CudaItem> item = items.Read(next.node);
      if (!item) continue;
      item->scope = next.scope;
      file_->items.push_back(*std::move(item));
    }
    std::stable_sort(file_->items.begin(), file_->items.end(),
                     [](const CudaItem& a, const CudaItem& b) { return a.first < b.first; });
    CountLines();
  }

 private:
  struct Pending {
    SyntaxNode node;
    std::int64_t scope;
  };

  // Queues the children of a node that only encloses definitions.
  bool Open(const Pending& pending) {
    const SyntaxNode& node = pending.node;
    const std::string_view kind = node.Kind();
    if (kind == "translation_unit" || kind == "declaration_list" || kind == "ERROR") {
      Push(node.Children(), pending.scope, 0);
    } else if (kind == "namespace_definition" || kind == "linkage_specification") {
      return OpenNamed(node, pending.scope);
    } else if (kind.starts_with("preproc_if") || kind.starts_with("preproc_elif") ||
               kind == "preproc_else") {
      OpenCondition(node, pending.scope);
    } else {
      return false;
    }
    return true;
  }

  bool OpenNamed(const SyntaxNode& node, std::int64_t parent) {
    const SyntaxNode body = node.Field("body");
    if (!body || !body.Is("declaration_list")) return !node.Is("linkage_specification");
    CudaScope scope;
    scope.kind =
        node.Is("namespace_definition") ? CudaScope::Kind::kNamespace : CudaScope::Kind::kLinkage;
    scope.parent = parent;
    scope.open =
        CodeOnOneLine(
            std::string_view(file_->source).substr(node.First(), body.First() - node.First())) +
        " {";
    if (const SyntaxNode name = node.Field("name")) scope.name = name.Text();
    Push(body.Children(), Add(std::move(scope)), 0);
    return true;
  }

  void OpenCondition(const SyntaxNode& node, std::int64_t parent, std::int64_t after = -1) {
    // The tree nests a chain of #elif one level per branch.
    SyntaxNode branch = node;
    std::vector<Pending> found;
    while (branch) {
      const auto children = branch.Children();
      const SyntaxNode alternative = branch.Field("alternative");
      std::size_t skipped = branch.Is("preproc_else") ? 0 : 1;
      std::int64_t scope = parent;
      if (after < 0 && IsIncludeGuard(branch, children)) {
        skipped = 2;
      } else {
        CudaScope condition;
        condition.kind = CudaScope::Kind::kCondition;
        condition.parent = parent;
        condition.after = after;
        condition.open = LogicalLine(file_->source, branch.First());
        const auto names = IdentifiersIn(
            std::string_view(condition.open).substr(branch.Is("preproc_else") ? 5 : 4));
        for (std::string_view name : names) condition.uses.emplace_back(name);
        scope = after = Add(std::move(condition));
      }
      for (std::size_t i = skipped; i < children.size(); ++i) {
        if (!alternative || children[i].First() < alternative.First()) {
          found.push_back({children[i], scope});
        }
      }
      branch = alternative;
    }
    pending_.insert(pending_.end(), found.rbegin(), found.rend());
  }

  void Push(const std::vector<SyntaxNode>& children, std::int64_t scope, std::size_t from) {
    for (std::size_t i = children.size(); i > from; --i)
      pending_.push_back({children[i - 1], scope});
  }

  std::int64_t Add(CudaScope scope) {
    file_->scopes.push_back(std::move(scope));
    return static_cast<std::int64_t>(file_->scopes.size()) - 1;
  }

  // Sets the lines of the items, and includes the comments directly above them.
  void CountLines() {
    const std::string& source = file_->source;
    std::int64_t line = 1, at = 0;
    const auto line_of = [&](std::int64_t offset) {
      if (offset < at) line = 1, at = 0;
      line += std::count(source.begin() + at, source.begin() + offset, '\n');
      at = offset;
      return line;
    };
    std::int64_t previous_end = 0;
    for (CudaItem& item : file_->items) {
      item.first_line = line_of(item.first);
      item.last_line =
          line + std::count(source.begin() + item.first, source.begin() + item.last, '\n');
      item.lead = LeadOf(item.first, previous_end);
      previous_end = item.last;
    }
  }

  // Moves up over lines that consist of comments, at most to `limit`.
  std::int64_t LeadOf(std::int64_t first, std::int64_t limit) const {
    const std::string_view source = file_->source;
    auto lead = static_cast<std::size_t>(first);
    std::size_t line_end = source.rfind('\n', lead == 0 ? 0 : lead - 1);
    if (lead == 0 || line_end == std::string_view::npos) return first;
    if (source.substr(line_end + 1, lead - line_end - 1).find_first_not_of(" \t") !=
        std::string_view::npos) {
      return first;
    }
    while (line_end > static_cast<std::size_t>(limit)) {
      const std::size_t before = source.rfind('\n', line_end - 1);
      const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
      const std::string_view text = source.substr(start, line_end - start);
      const std::size_t content = text.find_first_not_of(" \t");
      if (content == std::string_view::npos || !text.substr(content).starts_with("//")) break;
      if (start < static_cast<std::size_t>(limit)) break;
      lead = start + content;
      if (start == 0) break;
      line_end = start - 1;
    }
    return static_cast<std::int64_t>(lead);
  }

  CudaFile* const file_;
  const BlankedSource blanked_;
  std::vector<Pending> pending_;
};

}  // namespace

CudaFile CudaFile::Parse(std::string source) {
  CudaFile file;
  file.source = std::move(source);
  FileReader(&file).Read();
  return file;
}

}  // namespace kernelmill
