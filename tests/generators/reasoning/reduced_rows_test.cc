#include "generators/reasoning/reduced_rows.h"

#include <gtest/gtest.h>

#include "generators/grounding/false_relations.h"
#include "generators/reasoning/call_limit.h"

namespace kernelmill {
namespace {

TensorFacts Tensor(std::vector<std::int64_t> shape) { return {std::move(shape), "float32", {}}; }

DesignedKernel Plan(const std::string& strategy) {
  return {.strategy = strategy, .head = "sum", .kernels = {"sum_kernel"}, .threads = 256};
}

TEST(ReducedRows, FollowFromShapesThatFit) {
  Task task;
  task.inputs = {{"x", "float32", {64, 1000}, "randn", 0, 0}};
  Annotation facts;
  facts.operators = {{1, "sum", {Tensor({64})}}};
  const auto rows = ReducedRowsOf(task, facts, Plan("block_a_row"));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->results, 64);
  EXPECT_EQ(rows->length, 1000);
  EXPECT_EQ(BlocksOfReduction(facts, Plan("block_a_row")), 64);
  EXPECT_EQ(BlocksOfReduction(facts, Plan("block_of_columns_online")), 2);
  EXPECT_EQ(BlocksOfReduction(facts, Plan("blocks_a_row")), 0);
  // What is computed before decides, and not the input.
  facts.operators.insert(facts.operators.begin(), {1, "mul", {Tensor({64, 7})}});
  EXPECT_EQ(ReducedRowsOf(task, facts, Plan("block_a_row"))->length, 7);
  facts.operators[0].outputs = {Tensor({64, 64})};  // Either dimension may be the reduced one.
  EXPECT_FALSE(ReducedRowsOf(task, facts, Plan("block_a_row")));
  facts.operators.push_back({2, "sum", {Tensor({1})}});
  EXPECT_FALSE(ReducedRowsOf(task, facts, Plan("block_a_row")));
  EXPECT_EQ(BlocksOfReduction(facts, Plan("block_a_row")), 0);
}

TEST(ReducedRows, TellTheBlocksThatWereNotCounted) {
  Annotation facts;
  facts.operators = {{1, "sum", {Tensor({64})}}};
  Candidate answer;
  answer.backend = "cuda";
  answer.kernels = {Plan("block_a_row")};
  answer.kernels[0].bytes = 100'000'000;
  answer.kernels[0].flops = 25'000'000;
  EXPECT_EQ(LimitOf(answer, nullptr).limit, Limit::kMemory);
  EXPECT_EQ(LimitOf(answer, &facts).limit, Limit::kFewBlocks);
  EXPECT_EQ(LimitOf(answer, &facts).blocks, 64);
  facts.operators[0].outputs = {Tensor({4096})};
  EXPECT_EQ(LimitOf(answer, &facts).limit, Limit::kMemory);
}

TEST(ReducedRows, SentencesWithOtherNumbersAreRefused) {
  KnownTask known;
  known.task.inputs = {{"x", "float32", {64, 1000}, "randn", 0, 0}};
  known.facts.operators = {{1, "sum", {Tensor({64})}}};
  Candidate answer;
  answer.backend = "cuda";
  answer.kernels = {Plan("block_a_row")};
  const auto is_true = [&](const std::string& sentence) {
    return FalseRelations(sentence, known, {&answer}).empty();
  };
  const std::string row = "A row of `sum` has 1000 elements for the 256 threads of a block, so ";
  EXPECT_TRUE(is_true(row + "each thread combines at most 4 of them before the merge."));
  EXPECT_FALSE(is_true(row + "each thread combines at most 3 of them before the merge."));
  const std::string idle = " multiprocessors of an A100, so a part of the device is idle.";
  EXPECT_TRUE(is_true("At these sizes that is 64 blocks for the 108" + idle));
  EXPECT_FALSE(is_true("At these sizes that is 63 blocks for the 108" + idle));
  EXPECT_FALSE(is_true("At these sizes that is 64 blocks for the 132" + idle));
}

TEST(SplitGrids, FollowTheHostCodeAndTheShapes) {
  Task task;
  task.inputs = {{"x", "float32", {4, 4096, 512}, "randn", 0, 0}};
  Annotation facts;
  facts.operators = {{1, "norm", {{{4, 1, 512}, "float32", {512, 512, 1}}}}};
  DesignedKernel plan;
  plan.head = "norm";
  plan.strategy = "blocks_a_column";
  const std::string code =
      "const int splits = static_cast<int>(std::max<int64_t>(\n"
      "    1, std::min<int64_t>((rows + 63) / 64, 2048 / std::max<int64_t>(1, "
      "((rows1 + 31) / 32)))));\n";
  const auto grid = SplitGridOf(task, facts, plan, code);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->groups, 64);  // Of 32 of the 2048 columns.
  EXPECT_EQ(grid->parts, 32);
  EXPECT_FALSE(SplitGridOf(task, facts, plan, "const int splits = 4;"));
  plan.strategy = "block_of_columns";
  EXPECT_FALSE(SplitGridOf(task, facts, plan, code));
  EXPECT_EQ(BlocksOfReduction(facts, plan), 64);
}

}  // namespace
}  // namespace kernelmill
