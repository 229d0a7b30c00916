#include "generators/perturbation/line_changes.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

// Applies the changes to `before`.
std::string Changed(const std::string& before, const std::vector<LineChange>& changes) {
  std::vector<std::string> lines = {""};
  for (const char c : before) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  if (before.ends_with('\n')) lines.pop_back();
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const std::size_t first = change->was.empty() ? change->line : change->line - 1;
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(change->was.size());
    EXPECT_EQ(change->was, std::vector<std::string>(begin, end));
    lines.insert(lines.erase(begin, end), change->is.begin(), change->is.end());
  }
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

TEST(LineChanges, NameTheLine) {
  const auto replaced = LineChanges("a\nb\nc\n", "a\nx\nc\n");
  ASSERT_EQ(replaced.size(), 1u);
  EXPECT_EQ(replaced[0].line, 2u);
  EXPECT_EQ(replaced[0].was, std::vector<std::string>{"b"});
  EXPECT_EQ(replaced[0].is, std::vector<std::string>{"x"});
  // A missing line is reported as an insertion after the line in front of it.
  const auto missing = LineChanges("a\nb\n", "a\nx\nb\n");
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].line, 1u);
  EXPECT_TRUE(missing[0].was.empty());
}

TEST(LineChanges, MakeOneTextOfTheOther) {
  std::uint64_t state = 7;
  const auto draw = [&](std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 200; ++round) {
    std::string before, after;
    for (std::uint64_t i = draw(12); i > 0; --i) {
      const std::string line = std::string(1, static_cast<char>('a' + draw(4))) + '\n';
      if (draw(4) != 0) before += line;
      if (draw(4) != 0) after += line;
    }
    const auto changes = LineChanges(before, after);
    if (before.empty() || after.empty()) continue;
    EXPECT_EQ(Changed(before, changes), after) << before << "->\n" << after;
    EXPECT_EQ(before == after, changes.empty());
  }
}

}  // namespace
}  // namespace kernelmill
