#include "generators/reasoning/result_tiles.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

DesignedKernel PlanWith(const std::string& head) {
  DesignedKernel plan;
  plan.head = head;
  plan.mapping = "a block computes a 32 x 64 tile of the result";
  return plan;
}

Annotation FactsOf(const std::string& name, const std::vector<std::int64_t>& shape) {
  Annotation facts;
  facts.operators = {{1, name, {{shape, "float32", {}}}}};
  return facts;
}

TEST(ResultTiles, OfAProductCoverTheResultInBothDirections) {
  const auto tiles = ResultTilesOf({}, FactsOf("matmul", {64, 351}), PlanWith("matmul"));
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->Count(), 2 * 6);
  EXPECT_EQ(tiles->PercentOutside(), 100 * (6 * 64 - 351) / (6 * 64));
}

TEST(ResultTiles, StackTheRowsOfALinearLayer) {
  const auto tiles = ResultTilesOf({}, FactsOf("linear", {4, 16, 64}), PlanWith("linear"));
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->Count(), 2);
}

TEST(ResultTiles, AreUnknownWhereSeveralCallsOrGroupsLeaveItOpen) {
  Annotation facts = FactsOf("matmul", {64, 351});
  facts.operators.push_back(facts.operators[0]);
  EXPECT_FALSE(ResultTilesOf({}, facts, PlanWith("matmul")));
  EXPECT_FALSE(ResultTilesOf({}, FactsOf("matmul", {4, 64, 351}), PlanWith("matmul")));
  Task task;
  Annotation image = FactsOf("conv2d", {2, 32, 8, 8});
  image.parameters = {{"weight", {32, 32, 3, 3}, "float32"}};
  EXPECT_TRUE(ResultTilesOf(task, image, PlanWith("conv2d")));
  task.code = "nn.Conv2d(32, 32, 3, groups=4)";
  EXPECT_FALSE(ResultTilesOf(task, image, PlanWith("conv2d")));
}

}  // namespace
}  // namespace kernelmill
