#include "stages/mine/evaluate/shape_solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/mine/evaluate/einops_pattern.h"

namespace kernelmill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ShapeSolver, EqualUnknownsShareValueFactorAndEvidence) {
  ShapeSolver solver;
  const Dim a = solver.Fresh(), b = solver.Fresh(), c = solver.Fresh();
  solver.AddFactor(a, 6);
  solver.AddFactor(b, 4);
  solver.Equate(a, b, Evidence::kLayer);
  EXPECT_EQ(solver.FactorOf(a), 12);
  solver.Equate(c, b, Evidence::kLayer);
  EXPECT_TRUE(solver.Choose(c, 24, Evidence::kUnpack));
  EXPECT_EQ(solver.KnownValue(a), 24);
  EXPECT_EQ(solver.EvidenceOf(b), Evidence::kUnpack);
  EXPECT_EQ(solver.contradictions(), 0);
}

TEST(ShapeSolver, ProductsAndSumsWorkInEveryDirection) {
  ShapeSolver solver;
  // tokens = (height / 8) · (width / 8) + 1.
  const Dim height = solver.Fresh(), width = solver.Fresh(), eight = solver.Constant(8);
  const Dim rows = solver.Fresh(), columns = solver.Fresh(), patches = solver.Fresh();
  const Dim tokens = solver.Fresh();
  solver.AddProduct(height, rows, eight);
  solver.AddProduct(width, columns, eight);
  solver.AddProduct(patches, rows, columns);
  solver.AddSum(tokens, patches, 1);
  EXPECT_EQ(solver.FactorOf(height), 8);
  solver.Equate(tokens, solver.Constant(25), Evidence::kLayer);
  EXPECT_EQ(solver.KnownValue(patches), 24);
  solver.Choose(height, 48, Evidence::kName);
  EXPECT_EQ(solver.KnownValue(width), 32);
  EXPECT_EQ(solver.contradictions(), 0);
}

TEST(ShapeSolver, ASquareHasItsRoot) {
  ShapeSolver solver;
  const Dim side = solver.Fresh(), area = solver.Fresh();
  solver.AddProduct(area, side, side);
  EXPECT_TRUE(solver.Choose(area, 196, Evidence::kName));
  EXPECT_EQ(solver.KnownValue(side), 14);
}

TEST(ShapeSolver, WhatCannotBeIsCountedAndNothingElse) {
  ShapeSolver solver;
  const Dim a = solver.Constant(3), b = solver.Constant(4);
  solver.Equate(a, b, Evidence::kLayer);
  EXPECT_EQ(solver.contradictions(), 1);
  EXPECT_EQ(solver.KnownValue(a), 3);
  const Dim c = solver.Fresh();
  solver.AddFactor(c, 7);
  EXPECT_FALSE(solver.Choose(c, 30, Evidence::kName));
  EXPECT_EQ(solver.KnownValue(c), std::nullopt);
  EXPECT_FALSE(solver.Choose(c, -7, Evidence::kName));
  EXPECT_TRUE(solver.Choose(c, 28, Evidence::kName));
}

TEST(ShapeSolver, HugeFactorsDoNotOverflow) {
  ShapeSolver solver;
  Dim product = solver.Constant(1 << 20);
  for (int i = 0; i < 8; ++i) {
    const Dim next = solver.Fresh();
    solver.AddProduct(next, product, solver.Constant(1 << 20));
    product = next;
  }
  EXPECT_EQ(solver.KnownValue(product), std::nullopt);
  EXPECT_GT(solver.contradictions(), 0);
}

TEST(EinopsPattern, ReadsGroupsEllipsisAndOnes) {
  const auto pattern = EinopsPattern::Parse("b ... d -> b d ...");
  ASSERT_TRUE(pattern.has_value());
  EXPECT_EQ(pattern->left.ellipsis, 1);
  EXPECT_EQ(pattern->right.ellipsis, 2);
  const auto plain = EinopsPattern::Parse("b (h d) n -> b h n d");
  ASSERT_TRUE(plain.has_value());
  EXPECT_THAT(plain->left.groups,
              ElementsAre(ElementsAre("b"), ElementsAre("h", "d"), ElementsAre("n")));
  EXPECT_EQ(plain->left.ellipsis, -1);
  const auto ones = EinopsPattern::Parse("b d -> b 1 () d");
  ASSERT_TRUE(ones.has_value());
  EXPECT_THAT(ones->right.groups,
              ElementsAre(ElementsAre("b"), IsEmpty(), IsEmpty(), ElementsAre("d")));
}

TEST(EinopsPattern, RefusesWhatIsNone) {
  for (const char* text : {"", "b n d", "b (n (d)) -> b", "b n) -> n", "... a ... -> a"}) {
    EXPECT_FALSE(EinopsPattern::Parse(text).has_value()) << text;
  }
}

TEST(EinsumPattern, ReadsTorchsLettersAndEinopsWords) {
  const auto letters = EinsumPattern::Parse("bid,...jd->...ij");
  ASSERT_TRUE(letters.has_value());
  EXPECT_THAT(letters->operands[0].groups,
              ElementsAre(ElementsAre("b"), ElementsAre("i"), ElementsAre("d")));
  EXPECT_EQ(letters->operands[1].ellipsis, 0);
  EXPECT_EQ(letters->result.ellipsis, 0);
  const auto words = EinsumPattern::Parse("batch heads i d, batch heads j d -> batch heads i j");
  ASSERT_TRUE(words.has_value());
  EXPECT_EQ(words->operands.size(), 2u);
  EXPECT_THAT(words->result.groups, ElementsAre(ElementsAre("batch"), ElementsAre("heads"),
                                                ElementsAre("i"), ElementsAre("j")));
}

}  // namespace
}  // namespace kernelmill
