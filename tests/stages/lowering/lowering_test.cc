// Graphs of every class, lowered and judged: real compiler, real executor, real workers.
#include "tests/stages/lowering/all_cases.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

struct NamedAnswer {
  std::string name;
  std::string reference;
  LoweredAnswer answer;
};

TEST(Lowering, AnswersOfThisCommitsShareAreCorrect) {
  std::vector<NamedAnswer> all;
  for (const LoweringCase& item : AllLoweringCases()) {
    SCOPED_TRACE(item.name);
    const BuiltCase built(item);
    for (const KernelBackend backend : {KernelBackend::kCuda, KernelBackend::kMusa}) {
      const std::vector<LoweredAnswer> answers =
          LowerInWays(built.builder.graph(), built.module, backend, kManyAnswers);
      EXPECT_GE(answers.size(), 2u) << LowerGraph(built.builder.graph(), built.module, {}).refusal;
      for (const LoweredAnswer& answer : answers) {
        all.push_back({item.name + (backend == KernelBackend::kMusa ? " for MUSA" : "") + ": " +
                           answer.Structure(),
                       built.reference, answer});
      }
    }
  }
  LoweringJudge judge(false);
  for (const NamedAnswer& item : SampleOfCommit(all, 10)) {
    SCOPED_TRACE(item.name);
    judge.ExpectCorrect(item.reference, item.answer);
  }
}

TEST(Lowering, AnswersToWhatAsksForAnOrderAreCorrect) {
  LoweringJudge judge(false);
  for (const LoweringCase& item : OrderCases()) {
    SCOPED_TRACE(item.name);
    const BuiltCase built(item);
    const std::vector<LoweredAnswer> answers =
        LowerInWays(built.builder.graph(), built.module, KernelBackend::kCuda, kManyAnswers);
    EXPECT_GE(answers.size(), 2u);
    for (const LoweredAnswer& answer : answers) {
      SCOPED_TRACE(answer.Structure());
      judge.ExpectCorrect(built.reference, answer);
    }
  }
}

// Tiles of queries, keys and columns that end within the sizes, every kind of mask, both ways.
TEST(Lowering, AttentionIsCorrectAtOddSizes) {
  LoweringJudge judge(false);
  int seen = 0;
  for (const LoweringCase& item : AllLoweringCases()) {
    if (!item.name.starts_with("attention")) continue;
    SCOPED_TRACE(item.name);
    const BuiltCase built(item);
    const std::vector<LoweredAnswer> answers =
        LowerInWays(built.builder.graph(), built.module, KernelBackend::kCuda, kManyAnswers);
    EXPECT_GE(answers.size(), 2u);
    for (const LoweredAnswer& answer : answers) {
      SCOPED_TRACE(answer.Structure());
      judge.ExpectCorrect(built.reference, answer);
    }
    ++seen;
  }
  EXPECT_GE(seen, 6);
}

// The first way is the one that sizes ask for; on a GPU others were several times slower.
TEST(Lowering, TheFirstWayFollowsTheSizes) {
  const std::map<std::string_view, std::string_view> expected = {
      {"a long sum", "split_k"},
      {"convolution in three dimensions", "register_tile"},
      {"depthwise convolution in one dimension", "thread_a_result"},
      {"long sums for one column", "warp_a_result"},
      {"transposed convolution in groups, whose phases have taps of their own", "register_tile"},
      {"softmax along columns that lie side by side", "thread_a_column"},
      {"group norm of a few channels", "block_a_row_online"},
      {"attention with the future hidden", "tiled_attention"},
      {"attention with its projections", "tiled_projections"},
  };
  std::size_t seen = 0;
  for (const LoweringCase& item : AllLoweringCases()) {
    const auto known = expected.find(item.name);
    if (known == expected.end()) continue;
    SCOPED_TRACE(item.name);
    ++seen;
    const BuiltCase built(item);
    const std::vector<LoweredAnswer> answers =
        LowerInWays(built.builder.graph(), built.module, KernelBackend::kCuda, 1);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].kernels[0].strategy, known->second);
  }
  EXPECT_EQ(seen, expected.size());
}

TEST(Lowering, SaysWhatEveryKernelIs) {
  for (const LoweringCase& item : AllLoweringCases()) {
    SCOPED_TRACE(item.name);
    const BuiltCase built(item);
    for (const LoweredAnswer& answer :
         LowerInWays(built.builder.graph(), built.module, KernelBackend::kCuda, kManyAnswers)) {
      ASSERT_FALSE(answer.kernels.empty());
      for (const KernelPlan& plan : answer.kernels) {
        EXPECT_FALSE(plan.mapping.empty());
        EXPECT_FALSE(plan.reasons.empty());
        EXPECT_FALSE(plan.grid.empty());
        EXPECT_GT(plan.cost.bytes, 0);
        EXPECT_NE(answer.text.find("ops." + plan.function + '('), std::string::npos);
        for (const std::string& kernel : plan.kernels) {
          EXPECT_NE(answer.text.find(kernel + "<<<"), std::string::npos) << kernel;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kernelmill
