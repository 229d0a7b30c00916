// Syntax trees of Python and CUDA source, from which all other parsers read. Only this module uses
// tree-sitter.
//
// A tree is copied out of tree-sitter once, as an array in source order, because trees are walked
// many times and a step in tree-sitter's own tree costs ten times as much.
//
// Nodes and cursors are small values that point into a tree and must not outlive it or its source.
// Trees may be thousands of levels deep: walk them with a cursor, never by recursion. Parsing never
// fails: text that does not match the grammar yields nodes with HasError().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kernelmill {

enum class Grammar { kPython, kCuda };

// A grammar's names of node kinds and fields, by number.
struct GrammarNames;

struct SyntaxNodes {
  struct Entry {
    std::uint32_t first, last;  // Bytes; `last` is one past the end.
    std::uint32_t first_row, last_row;
    std::uint32_t parent;
    std::uint32_t end;  // One past the last entry of the subtree of this node.
    std::uint16_t symbol;
    std::uint16_t field;  // The field of the parent that it fills, or 0.
    bool named, comment, error, missing;
  };
  std::vector<Entry> entries;
  std::string_view source;
  const GrammarNames* names = nullptr;
};

class SyntaxNode {
 public:
  SyntaxNode() = default;

  // False for a node that does not exist, as returned by Field() or Parent().
  explicit operator bool() const { return tree_ != nullptr; }
  // The grammar's name of this kind of node, e.g. "function_definition".
  std::string_view Kind() const;
  bool Is(std::string_view kind) const { return tree_ != nullptr && Kind() == kind; }
  // A small number for Kind(), the same for every tree of a grammar.
  std::uint16_t Symbol() const { return entry().symbol; }
  bool IsNamed() const { return entry().named; }
  bool HasError() const { return entry().error; }
  bool IsMissing() const { return entry().missing; }

  std::size_t First() const { return entry().first; }
  std::size_t Last() const { return entry().last; }  // One past the last byte.
  std::size_t FirstLine() const { return entry().first_row + 1; }
  std::size_t LastLine() const { return entry().last_row + 1; }
  std::string_view Text() const { return tree_->source.substr(First(), Last() - First()); }

  // Empty for the root.
  SyntaxNode Parent() const {
    return tree_ == nullptr || at_ == 0 ? SyntaxNode() : SyntaxNode(tree_, entry().parent);
  }
  // The name of the field of the parent that it fills, or "".
  std::string_view Role() const;
  // The first child in that field.
  SyntaxNode Field(std::string_view name) const;
  // The named children: without punctuation, keywords and comments.
  std::vector<SyntaxNode> Children() const;
  // Every child, punctuation and comments included.
  std::vector<SyntaxNode> AllChildren() const;

 private:
  friend class SyntaxCursor;
  friend class SyntaxTree;
  SyntaxNode(const SyntaxNodes* tree, std::uint32_t at) : tree_(tree), at_(at) {}
  const SyntaxNodes::Entry& entry() const { return tree_->entries[at_]; }

  const SyntaxNodes* tree_ = nullptr;
  std::uint32_t at_ = 0;
};

// Walks the subtree of a node.
class SyntaxCursor {
 public:
  explicit SyntaxCursor(const SyntaxNode& root)
      : tree_(root.tree_), root_(root.at_), at_(root.at_) {}

  SyntaxNode Node() const { return {tree_, at_}; }
  // The field of the parent that this node fills, or 0. See FieldId().
  std::uint16_t Field() const { return at_ == root_ ? 0 : entry().field; }
  // The name of that field, or "".
  std::string_view FieldName() const;
  bool ToFirstChild() {
    if (entry().end == at_ + 1) return false;
    ++at_;
    return true;
  }
  bool ToNextSibling() {
    if (at_ == root_ || entry().end == tree_->entries[entry().parent].end) return false;
    at_ = entry().end;
    return true;
  }
  // Moves to the next node in source order, parents first. Skips the subtree of the current node
  // unless `into`. False after the last node. A complete walk is do … while (cursor.ToNext()).
  bool ToNext(bool into = true) {
    const std::uint32_t next = into ? at_ + 1 : entry().end;
    if (next >= tree_->entries[root_].end) return false;
    at_ = next;
    return true;
  }
  // False at the root of the walk.
  bool ToParent() {
    if (at_ == root_) return false;
    at_ = entry().parent;
    return true;
  }

 private:
  const SyntaxNodes::Entry& entry() const { return tree_->entries[at_]; }

  const SyntaxNodes* tree_;
  std::uint32_t root_, at_;
};

// Calls `visit` for every node, parents first.
template <typename Visit>
void ForEachNode(const SyntaxNode& root, Visit visit) {
  SyntaxCursor cursor(root);
  do visit(cursor.Node());
  while (cursor.ToNext());
}

class SyntaxTree {
 public:
  // `source` must outlive the tree and may have at most 4 GiB.
  static SyntaxTree Parse(Grammar grammar, std::string_view source);
  SyntaxNode Root() const { return {nodes_.get(), 0}; }

 private:
  std::unique_ptr<const SyntaxNodes> nodes_;
};

// The numbers of a named node kind and of a field in the grammar.
std::uint16_t SymbolOf(Grammar grammar, std::string_view kind);
std::size_t SymbolCount(Grammar grammar);
std::uint16_t FieldId(Grammar grammar, std::string_view field);

}  // namespace kernelmill
