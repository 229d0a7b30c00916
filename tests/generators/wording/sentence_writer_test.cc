#include "generators/wording/sentence_writer.h"

#include <gtest/gtest.h>

#include <set>

namespace kernelmill {
namespace {

Wording Row(int number) { return Wording(DigestOf(std::to_string(number)), 7); }

TEST(SentenceWriter, GroupsNestAndBracketsWithoutABarStay) {
  std::set<std::string> said;
  for (int i = 0; i < 60; ++i) {
    const Wording wording = Row(i);
    said.insert(SentenceWriter(wording, "a").Choose("a[ b[c|d]|] - [ ] x[0]"));
  }
  EXPECT_EQ(said, (std::set<std::string>{"a - [ ] x[0]", "a bc - [ ] x[0]", "a bd - [ ] x[0]"}));
}

TEST(SentenceWriter, ValuesAreNotSearchedForGroups) {
  const Wording wording = Row(0);
  SentenceWriter writer(wording, "a");
  EXPECT_EQ(writer.Say({"`{code}` {b}"}, {{"code", "x[i|1]"}, {"b", "{code}"}}), "`x[i|1]` {code}");
}

TEST(SentenceWriter, ShuffleKeepsWhatItHas) {
  const Wording wording = Row(3);
  SentenceWriter writer(wording, "a");
  std::vector<int> items = {1, 2, 3, 4, 5};
  writer.Shuffle(&items);
  EXPECT_EQ(std::multiset<int>(items.begin(), items.end()), (std::multiset<int>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace kernelmill
