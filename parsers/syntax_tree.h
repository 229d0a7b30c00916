// Syntax trees. The only place that knows tree-sitter.
//
// Nodes and cursors are small values that point into a tree and must not outlive it or its source.
// Trees may be thousands of levels deep: walk them with a cursor, never with recursion. A tree
// never fails to exist: text that does not fit the grammar yields nodes with HasError().
#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

enum class Grammar { kPython, kCuda };

class SyntaxNode {
 public:
  SyntaxNode() = default;
  SyntaxNode(TSNode node, std::string_view source) : node_(node), source_(source) {}

  // False for the result of a Field() or Child() that is not there.
  explicit operator bool() const { return node_.id != nullptr; }
  // The grammar's name of this kind of node, e.g. "function_definition".
  std::string_view Kind() const { return ts_node_type(node_); }
  bool Is(std::string_view kind) const { return node_.id != nullptr && Kind() == kind; }
  // A small number for Kind(), the same for every tree of a grammar.
  std::uint16_t Symbol() const { return ts_node_symbol(node_); }
  bool IsNamed() const { return ts_node_is_named(node_); }
  bool HasError() const { return ts_node_has_error(node_); }
  bool IsMissing() const { return ts_node_is_missing(node_); }

  std::size_t First() const { return ts_node_start_byte(node_); }
  std::size_t Last() const { return ts_node_end_byte(node_); }  // One past the last byte.
  std::size_t FirstLine() const { return ts_node_start_point(node_).row + 1; }
  std::size_t LastLine() const { return ts_node_end_point(node_).row + 1; }
  std::string_view Text() const { return source_.substr(First(), Last() - First()); }

  SyntaxNode Field(std::string_view name) const;
  // The children that the grammar names: no punctuation, no keywords. Comments are left out.
  std::vector<SyntaxNode> Children() const;
  // Every child, punctuation and comments included.
  std::vector<SyntaxNode> AllChildren() const;

 private:
  friend class SyntaxCursor;
  TSNode node_{};
  std::string_view source_;
};

// Moves over a tree without recursion and without the cost of looking for siblings and parents.
class SyntaxCursor {
 public:
  explicit SyntaxCursor(const SyntaxNode& root);
  ~SyntaxCursor() { ts_tree_cursor_delete(&cursor_); }
  SyntaxCursor(const SyntaxCursor&) = delete;
  SyntaxCursor& operator=(const SyntaxCursor&) = delete;

  SyntaxNode Node() const { return {ts_tree_cursor_current_node(&cursor_), source_}; }
  // The field of the parent that this node fills; 0 for none. See FieldId().
  std::uint16_t Field() const { return ts_tree_cursor_current_field_id(&cursor_); }
  // The same by name; "" for none.
  std::string_view FieldName() const {
    const char* const name = ts_tree_cursor_current_field_name(&cursor_);
    return name == nullptr ? std::string_view() : std::string_view(name);
  }
  bool ToFirstChild() { return ts_tree_cursor_goto_first_child(&cursor_); }
  bool ToNextSibling() { return ts_tree_cursor_goto_next_sibling(&cursor_); }
  // False at the root that the cursor was made with.
  bool ToParent() { return ts_tree_cursor_goto_parent(&cursor_); }

 private:
  TSTreeCursor cursor_;
  std::string_view source_;
};

class SyntaxTree {
 public:
  // `source` must outlive the tree; at most 4 GiB.
  static SyntaxTree Parse(Grammar grammar, std::string_view source);
  SyntaxNode Root() const { return {ts_tree_root_node(tree_.get()), source_}; }

 private:
  struct Free {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  std::unique_ptr<TSTree, Free> tree_;
  std::string_view source_;
};

// The numbers that the grammar gives to a kind of named node and to a field.
std::uint16_t SymbolOf(Grammar grammar, std::string_view kind);
std::size_t SymbolCount(Grammar grammar);
std::uint16_t FieldId(Grammar grammar, std::string_view field);

}  // namespace kernelmill
