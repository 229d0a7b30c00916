#include "parsers/cuda_index.h"

#include <algorithm>
#include <array>

namespace kernelmill {
namespace {

// The dimension d of `builtin`.d, or 0.
char DimensionOf(const SyntaxNode& node, std::string_view builtin) {
  const SyntaxNode bare = StripParenthesesAndCasts(node);
  if (!bare.Is("field_expression") || bare.Field("argument").Text() != builtin) return 0;
  const std::string_view field = bare.Field("field").Text();
  return field.size() == 1 && field[0] >= 'x' && field[0] <= 'z' ? field[0] : '\0';
}

// Matches a `sign` b, where `first` recognizes one operand and `second` the other, in either order.
// Returns their common dimension, or 0.
template <typename First, typename Second>
char MatchPair(const SyntaxNode& node, std::string_view sign, First first, Second second) {
  const SyntaxNode bare = StripParenthesesAndCasts(node);
  if (!bare.Is("binary_expression") || bare.Field("operator").Text() != sign) return 0;
  const SyntaxNode left = bare.Field("left"), right = bare.Field("right");
  for (const auto& [a, b] : {std::pair(left, right), std::pair(right, left)}) {
    const char one = first(a), other = second(b);
    if (one != 0 && one == other) return one;
  }
  return 0;
}

auto Builtin(std::string_view name) {
  return [name](const SyntaxNode& node) { return DimensionOf(node, name); };
}

char GlobalDimension(const SyntaxNode& node) {
  const auto product = [](const SyntaxNode& part) {
    return MatchPair(part, "*", Builtin("blockIdx"), Builtin("blockDim"));
  };
  return MatchPair(node, "+", product, Builtin("threadIdx"));
}

// Whether it is grid.thread_rank() or cg::this_grid().thread_rank().
bool IsGridRank(const SyntaxNode& node) {
  const std::string_view text = node.Text();
  return node.Is("call_expression") && text.find("this_grid()") != std::string_view::npos &&
         text.find("thread_rank") != std::string_view::npos;
}

bool MentionsThread(const SyntaxNode& root) {
  bool found = false;
  ForEachNode(root, [&](const SyntaxNode& node) {
    if (node.Is("identifier")) {
      found = found || node.Text() == "threadIdx" || node.Text() == "blockIdx";
    } else if (node.Is("field_identifier")) {
      static constexpr std::array<std::string_view, 4> kRanks = {"thread_rank", "thread_index",
                                                                 "group_index", "meta_group_rank"};
      found = found || std::find(kRanks.begin(), kRanks.end(), node.Text()) != kRanks.end();
    }
  });
  return found;
}

}  // namespace

SyntaxNode StripParenthesesAndCasts(SyntaxNode node) {
  for (;;) {
    if (node.Is("parenthesized_expression")) {
      const auto children = node.Children();
      if (children.size() != 1) return node;
      node = children[0];
    } else if (node.Is("cast_expression")) {
      node = node.Field("value");
    } else if (node.Is("call_expression") &&
               node.Field("function").Text().starts_with("static_cast")) {
      const auto arguments = node.Field("arguments").Children();
      if (arguments.size() != 1) return node;
      node = arguments[0];
    } else {
      return node;
    }
  }
}

std::optional<ThreadIndex> ThreadIndexOf(const SyntaxNode& expression, const NameSet& indices) {
  ThreadIndex index;
  const SyntaxNode bare = StripParenthesesAndCasts(expression);
  if ((index.dimension = GlobalDimension(bare)) != 0) {
    index.kind = ThreadIndex::Kind::kGlobal;
  } else if ((index.dimension = DimensionOf(bare, "threadIdx")) != 0) {
    index.kind = ThreadIndex::Kind::kThread;
  } else if ((index.dimension = DimensionOf(bare, "blockIdx")) != 0) {
    index.kind = ThreadIndex::Kind::kBlock;
  } else if (IsGridRank(bare)) {
    index.kind = ThreadIndex::Kind::kGridRank;
  } else if (MentionsThread(bare)) {
    index.kind = ThreadIndex::Kind::kExpression;
  } else if (Mentions(bare, indices)) {
    index.kind = ThreadIndex::Kind::kDerived;
  } else {
    return std::nullopt;
  }
  return index;
}

bool IsGridStride(const SyntaxNode& expression, const NameSet& strides) {
  const SyntaxNode bare = StripParenthesesAndCasts(expression);
  if (bare.Is("identifier")) return strides.contains(bare.Text());
  return MatchPair(bare, "*", Builtin("gridDim"), Builtin("blockDim")) != 0;
}

bool IsBlockStride(const SyntaxNode& expression) {
  return DimensionOf(expression, "blockDim") != 0;
}

bool Mentions(const SyntaxNode& root, const NameSet& names) {
  bool found = false;
  ForEachNode(root, [&](const SyntaxNode& node) {
    found = found || (node.Is("identifier") && names.contains(node.Text()));
  });
  return found;
}

}  // namespace kernelmill
