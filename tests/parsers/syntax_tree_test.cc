// Compares the copied tree with tree-sitter's own, for files of torch.
#include "parsers/syntax_tree.h"

#include <gtest/gtest.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
const TSLanguage* tree_sitter_python(void);
const TSLanguage* tree_sitter_cuda(void);
}

namespace kernelmill {
namespace {

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The largest files below 100 KB under `folder` whose names have this ending.
std::vector<std::string> Texts(const std::string& folder, std::string_view end, std::size_t count) {
  std::vector<std::pair<std::uintmax_t, std::filesystem::path>> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || !entry.path().string().ends_with(end)) continue;
    if (entry.file_size() < 100'000) found.emplace_back(entry.file_size(), entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  found.resize(std::min(found.size(), count));
  std::vector<std::string> texts;
  for (const auto& [size, path] : found) texts.push_back(TextOf(path));
  return texts;
}

void ExpectSame(const SyntaxNode& ours, TSNode theirs) {
  ASSERT_EQ(ours.Kind(), ts_node_type(theirs));
  ASSERT_EQ(ours.First(), ts_node_start_byte(theirs));
  ASSERT_EQ(ours.Last(), ts_node_end_byte(theirs));
  ASSERT_EQ(ours.FirstLine(), ts_node_start_point(theirs).row + 1);
  ASSERT_EQ(ours.LastLine(), ts_node_end_point(theirs).row + 1);
  ASSERT_EQ(ours.IsNamed(), ts_node_is_named(theirs));
  ASSERT_EQ(ours.HasError(), ts_node_has_error(theirs));
  ASSERT_EQ(ours.IsMissing(), ts_node_is_missing(theirs));
  ASSERT_EQ(ours.AllChildren().size(), ts_node_child_count(theirs));
}

void CompareTrees(Grammar grammar, const TSLanguage* language, const std::string& text) {
  TSParser* const parser = ts_parser_new();
  ts_parser_set_language(parser, language);
  TSTree* const theirs =
      ts_parser_parse_string(parser, nullptr, text.data(), static_cast<std::uint32_t>(text.size()));
  const SyntaxTree ours = SyntaxTree::Parse(grammar, text);
  TSTreeCursor their_cursor = ts_tree_cursor_new(ts_tree_root_node(theirs));
  SyntaxCursor cursor(ours.Root());
  for (bool more = true; more && !testing::Test::HasFatalFailure();) {
    const TSNode node = ts_tree_cursor_current_node(&their_cursor);
    ExpectSame(cursor.Node(), node);
    EXPECT_EQ(cursor.Field(), ts_tree_cursor_current_field_id(&their_cursor));
    for (TSFieldId field = 1; field <= ts_language_field_count(language); ++field) {
      const std::string_view name = ts_language_field_name_for_id(language, field);
      const TSNode child = ts_node_child_by_field_id(node, field);
      // tree-sitter also finds grandchildren, through fields that hidden nodes inherit, and does
      // not find fields of erroneous nodes.
      const bool direct = !ts_node_is_null(child) && ts_node_eq(ts_node_parent(child), node);
      if (ts_node_is_error(node) || (!ts_node_is_null(child) && !direct)) continue;
      const SyntaxNode own = cursor.Node().Field(name);
      ASSERT_EQ(static_cast<bool>(own), direct) << name << " of " << ts_node_type(node);
      if (own) ExpectSame(own, child);
    }
    bool down = cursor.ToFirstChild();
    ASSERT_EQ(down, ts_tree_cursor_goto_first_child(&their_cursor));
    while (!down && more) {
      down = cursor.ToNextSibling();
      ASSERT_EQ(down, ts_tree_cursor_goto_next_sibling(&their_cursor));
      if (down) break;
      more = cursor.ToParent();
      ASSERT_EQ(more, ts_tree_cursor_goto_parent(&their_cursor));
    }
  }
  ts_tree_cursor_delete(&their_cursor);
  ts_tree_delete(theirs);
  ts_parser_delete(parser);
}

TEST(SyntaxTree, PythonIsWhatTreeSitterReads) {
  const auto texts = Texts(KERNELMILL_PACKAGES "/torch/nn", ".py", 12);
  ASSERT_EQ(texts.size(), 12u);
  for (const std::string& text : texts) {
    CompareTrees(Grammar::kPython, tree_sitter_python(), text);
  }
}

TEST(SyntaxTree, CudaIsWhatTreeSitterReads) {
  const auto texts = Texts(KERNELMILL_PACKAGES "/torch/include/ATen", ".cuh", 12);
  ASSERT_EQ(texts.size(), 12u);
  for (const std::string& text : texts) CompareTrees(Grammar::kCuda, tree_sitter_cuda(), text);
}

TEST(SyntaxTree, DamagedTextIsReadAlike) {
  const auto texts = Texts(KERNELMILL_PACKAGES "/torch/nn", ".py", 3);
  ASSERT_EQ(texts.size(), 3u);
  for (std::string text : texts) {
    for (std::size_t at = 97; at < text.size(); at += 1009) text[at] = ")\n(:\"'{"[at % 7];
    CompareTrees(Grammar::kPython, tree_sitter_python(), text);
    CompareTrees(Grammar::kCuda, tree_sitter_cuda(), text);
  }
}

TEST(SyntaxTree, CursorStaysUnderItsRoot) {
  const std::string text = "def f(x):\n    return x\ny = 2\n";
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, text);
  const SyntaxNode function = tree.Root().Children()[0];
  SyntaxCursor cursor(function);
  EXPECT_EQ(cursor.Field(), 0);
  EXPECT_FALSE(cursor.ToNextSibling());
  EXPECT_FALSE(cursor.ToParent());
  ASSERT_TRUE(cursor.ToFirstChild());
  std::size_t children = 1;
  while (cursor.ToNextSibling()) ++children;
  EXPECT_EQ(children, function.AllChildren().size());
  ASSERT_TRUE(cursor.ToParent());
  EXPECT_EQ(cursor.Node().Text(), function.Text());
  EXPECT_FALSE(cursor.ToNext(false));
  std::size_t below = 1;
  while (cursor.ToNext()) ++below;
  EXPECT_GT(below, children);
  EXPECT_LE(cursor.Node().Last(), function.Last());
}

}  // namespace
}  // namespace kernelmill
