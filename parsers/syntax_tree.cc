#include "parsers/syntax_tree.h"

#include <tree_sitter/api.h>

extern "C" {
const TSLanguage* tree_sitter_python(void);
const TSLanguage* tree_sitter_cuda(void);
}

namespace kernelmill {

struct GrammarNames {
  std::vector<std::string_view> kinds, fields;
  std::uint16_t comment;

  explicit GrammarNames(const TSLanguage* language)
      : comment(ts_language_symbol_for_name(language, "comment", 7, true)) {
    for (std::uint32_t i = 0; i < ts_language_symbol_count(language); ++i) {
      kinds.emplace_back(ts_language_symbol_name(language, static_cast<TSSymbol>(i)));
    }
    fields.emplace_back();  // Field numbers start at 1.
    for (std::uint32_t i = 1; i <= ts_language_field_count(language); ++i) {
      fields.emplace_back(ts_language_field_name_for_id(language, static_cast<TSFieldId>(i)));
    }
  }
};

namespace {

const TSLanguage* LanguageOf(Grammar grammar) {
  return grammar == Grammar::kPython ? tree_sitter_python() : tree_sitter_cuda();
}

const GrammarNames& NamesOf(Grammar grammar) {
  static const GrammarNames python(tree_sitter_python()), cuda(tree_sitter_cuda());
  return grammar == Grammar::kPython ? python : cuda;
}

struct FreeParser {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};
struct FreeTree {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

SyntaxNodes::Entry EntryOf(const TSTreeCursor& cursor, std::uint16_t comment) {
  const TSNode node = ts_tree_cursor_current_node(&cursor);
  SyntaxNodes::Entry entry{};
  entry.first = ts_node_start_byte(node);
  entry.last = ts_node_end_byte(node);
  entry.first_row = ts_node_start_point(node).row;
  entry.last_row = ts_node_end_point(node).row;
  entry.symbol = ts_node_symbol(node);
  entry.field = ts_tree_cursor_current_field_id(&cursor);
  entry.named = ts_node_is_named(node);
  entry.comment = entry.symbol == comment;
  entry.error = ts_node_has_error(node);
  entry.missing = ts_node_is_missing(node);
  return entry;
}

std::vector<SyntaxNodes::Entry> Flatten(const TSTree* tree, std::uint16_t comment) {
  std::vector<SyntaxNodes::Entry> entries;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  std::uint32_t parent = 0;
  for (bool more = true; more;) {
    const auto at = static_cast<std::uint32_t>(entries.size());
    entries.push_back(EntryOf(cursor, comment));
    entries.back().parent = parent;
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      parent = at;
      continue;
    }
    entries.back().end = at + 1;
    while (!(more = ts_tree_cursor_goto_next_sibling(&cursor))) {
      if (!ts_tree_cursor_goto_parent(&cursor)) break;
      entries[parent].end = static_cast<std::uint32_t>(entries.size());
      parent = entries[parent].parent;
    }
  }
  ts_tree_cursor_delete(&cursor);
  return entries;
}

}  // namespace

std::string_view SyntaxNode::Kind() const {
  const auto& kinds = tree_->names->kinds;
  // ERROR is the only symbol that is in no table.
  return Symbol() < kinds.size() ? kinds[Symbol()] : std::string_view("ERROR");
}

std::string_view SyntaxNode::Role() const { return tree_->names->fields[entry().field]; }

SyntaxNode SyntaxNode::Field(std::string_view name) const {
  if (tree_ == nullptr) return {};
  for (std::uint32_t i = at_ + 1; i < entry().end; i = tree_->entries[i].end) {
    const std::uint16_t field = tree_->entries[i].field;
    if (field != 0 && tree_->names->fields[field] == name) return {tree_, i};
  }
  return {};
}

std::vector<SyntaxNode> SyntaxNode::Children() const {
  std::vector<SyntaxNode> children;
  if (tree_ == nullptr) return children;
  for (std::uint32_t i = at_ + 1; i < entry().end; i = tree_->entries[i].end) {
    if (tree_->entries[i].named && !tree_->entries[i].comment) children.push_back({tree_, i});
  }
  return children;
}

std::vector<SyntaxNode> SyntaxNode::AllChildren() const {
  std::vector<SyntaxNode> children;
  if (tree_ == nullptr) return children;
  for (std::uint32_t i = at_ + 1; i < entry().end; i = tree_->entries[i].end) {
    children.push_back({tree_, i});
  }
  return children;
}

std::string_view SyntaxCursor::FieldName() const { return tree_->names->fields[Field()]; }

SyntaxTree SyntaxTree::Parse(Grammar grammar, std::string_view source) {
  // A parser is reused for its buffers, which saves a quarter of the time on small files.
  thread_local std::unique_ptr<TSParser, FreeParser> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), LanguageOf(grammar));
  const std::unique_ptr<TSTree, FreeTree> parsed(ts_parser_parse_string(
      parser.get(), nullptr, source.data(), static_cast<std::uint32_t>(source.size())));
  const GrammarNames& names = NamesOf(grammar);
  auto nodes = std::make_unique<SyntaxNodes>();
  nodes->entries = Flatten(parsed.get(), names.comment);
  nodes->source = source;
  nodes->names = &names;
  SyntaxTree tree;
  tree.nodes_ = std::move(nodes);
  return tree;
}

std::uint16_t SymbolOf(Grammar grammar, std::string_view kind) {
  return ts_language_symbol_for_name(LanguageOf(grammar), kind.data(),
                                     static_cast<std::uint32_t>(kind.size()), true);
}
std::size_t SymbolCount(Grammar grammar) { return ts_language_symbol_count(LanguageOf(grammar)); }
std::uint16_t FieldId(Grammar grammar, std::string_view field) {
  return ts_language_field_id_for_name(LanguageOf(grammar), field.data(),
                                       static_cast<std::uint32_t>(field.size()));
}

}  // namespace kernelmill
