// Lowers and judges graphs of every class, with the real compiler, executor and workers.
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
    for (const KernelBackend* backend : KernelBackends()) {
      const std::vector<LoweredAnswer> answers =
          LowerInVariants(built.builder.graph(), built.module, *backend, kManyAnswers);
      EXPECT_GE(answers.size(), 2u) << LowerGraph(built.builder.graph(), built.module, {}).obstacle;
      for (const LoweredAnswer& answer : answers) {
        all.push_back(
            {item.name + (backend == &kMusaBackend ? " for MUSA" : "") + ": " + answer.Structure(),
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

// Judges at most `ways` answers per case.
void ExpectCorrectAnswers(const std::vector<LoweringCase>& cases, int ways) {
  LoweringJudge judge(false);
  for (const LoweringCase& item : cases) {
    SCOPED_TRACE(item.name);
    const BuiltCase built(item);
    const std::vector<LoweredAnswer> answers =
        LowerInVariants(built.builder.graph(), built.module, kCudaBackend, ways);
    EXPECT_GE(answers.size(), std::min<std::size_t>(ways, 2));
    for (const LoweredAnswer& answer : answers) {
      SCOPED_TRACE(answer.Structure());
      judge.ExpectCorrect(built.reference, answer);
    }
  }
}

// Partial tiles of queries, keys and columns, and every kind of mask, for both strategies.
TEST(Lowering, AttentionIsCorrectAtOddSizes) {
  LoweringJudge judge(false);
  int seen = 0;
  for (const LoweringCase& item : AllLoweringCases()) {
    if (!item.name.starts_with("attention")) continue;
    SCOPED_TRACE(item.name);
    const BuiltCase built(item);
    const std::vector<LoweredAnswer> answers =
        LowerInVariants(built.builder.graph(), built.module, kCudaBackend, kManyAnswers);
    EXPECT_GE(answers.size(), 2u);
    for (const LoweredAnswer& answer : answers) {
      SCOPED_TRACE(answer.Structure());
      judge.ExpectCorrect(built.reference, answer);
    }
    ++seen;
  }
  EXPECT_GE(seen, 6);
}

TEST(Lowering, AnswersToWhatAsksForAnOrderAreCorrect) {
  ExpectCorrectAnswers(OrderCases(), kManyAnswers);
}

TEST(Lowering, AnswersToWhatAsksForAnOrderOfLongRowsAreCorrect) {
  ExpectCorrectAnswers(LongOrderCases(), 1);
}

// Includes threads beyond the last column, and partial parts.
TEST(Lowering, AnswersAlongColumnsAreCorrect) {
  std::vector<LoweringCase> cases;
  for (const LoweringCase& item : RowCases()) {
    if (item.name.find("columns") != item.name.npos) cases.push_back(item);
  }
  EXPECT_GE(cases.size(), 5u);
  ExpectCorrectAnswers(cases, 2);
}

// Rows with several elements per thread, including a partial last piece.
TEST(Lowering, RunningResultsAreCorrect) {
  std::vector<LoweringCase> cases;
  for (const LoweringCase& item : ElementCases()) {
    if (item.name.starts_with("running") || item.name.starts_with("largest so far")) {
      cases.push_back(item);
    }
  }
  EXPECT_GE(cases.size(), 4u);
  ExpectCorrectAnswers(cases, 2);
}

// The first answer uses atomics, with several threads per element.
TEST(Lowering, AnswersToWhatScattersAreCorrect) { ExpectCorrectAnswers(ScatterCases(), 1); }

template <std::int64_t kSize>
void BuildScatter(GraphBuilder* b) {
  const auto places = b->Size("places", kSize), sources = b->Size("sources", kSize - 7);
  const ValueId x = b->Input({places}), index = b->Indices({sources}, kSize),
                y = b->Input({sources});
  b->Outputs({b->Apply("scatter_add", {x, index, y}, {{"dim", Int(0)}})});
}

// A search of a whole line for every element is only used for short lines.
TEST(Lowering, NothingSearchesLongLines) {
  const auto strategies = [](const LoweringCase& item) {
    const BuiltCase built(item);
    std::set<std::string_view> found;
    for (const LoweredAnswer& answer :
         LowerInVariants(built.builder.graph(), built.module, kCudaBackend, kManyAnswers)) {
      found.insert(answer.calls[0].strategy);
    }
    return found;
  };
  EXPECT_TRUE(strategies({"short", BuildScatter<1000>}).contains("gather_an_element"));
  const auto of_long = strategies({"long", BuildScatter<100'000>});
  EXPECT_TRUE(of_long.contains("scatter_by_atomics"));
  EXPECT_FALSE(of_long.contains("gather_an_element"));
}

// The first answer must suit the sizes; on a GPU the others were several times slower.
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
      {"running sums of long rows", "block_scan"},
      {"running sums down many columns", "scan_a_column"},
      {"sum of a few long columns", "blocks_a_column"},
      {"softmax along a few long columns", "blocks_a_column"},
      {"largest of columns and where", "block_of_columns"},
      {"variance of columns", "block_of_columns"},
      {"the last of those that come to one place", "scatter_in_order"},
      {"sums of small whole numbers", "scatter_by_atomics"},
      {"largest of what comes", "scatter_by_atomics"},
      {"order of rows of a few hundred", "network_in_shared_memory"},
      {"order of rows longer than a tile", "network_of_tiles"},
      {"order of a few that lie side by side", "place_by_counting"},
  };
  std::size_t seen = 0;
  std::vector<LoweringCase> cases = AllLoweringCases();
  const std::vector<LoweringCase> more = LongOrderCases();
  cases.insert(cases.end(), more.begin(), more.end());
  for (const LoweringCase& item : cases) {
    const auto known = expected.find(item.name);
    if (known == expected.end()) continue;
    SCOPED_TRACE(item.name);
    ++seen;
    const BuiltCase built(item);
    const std::vector<LoweredAnswer> answers =
        LowerInVariants(built.builder.graph(), built.module, kCudaBackend, 1);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].calls[0].strategy, known->second);
  }
  EXPECT_EQ(seen, expected.size());
}

TEST(Lowering, SaysWhatEveryKernelIs) {
  for (const LoweringCase& item : AllLoweringCases()) {
    SCOPED_TRACE(item.name);
    const BuiltCase built(item);
    for (const LoweredAnswer& answer :
         LowerInVariants(built.builder.graph(), built.module, kCudaBackend, kManyAnswers)) {
      ASSERT_FALSE(answer.calls.empty());
      for (const CallPlan& plan : answer.calls) {
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
