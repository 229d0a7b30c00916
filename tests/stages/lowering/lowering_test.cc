// Lowers and judges graphs of every class, with the real compiler, executor and workers.
#include <array>
#include <span>

#include "tests/shared_suite.h"
#include "tests/stages/lowering/all_cases.h"
#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

struct NamedAnswer {
  std::string name;
  std::string reference;
  LoweredAnswer answer;
};

// All answers to the cases, at most `ways` for each and backend.
std::vector<NamedAnswer> AnswersTo(const std::vector<LoweringCase>& cases,
                                   std::span<const KernelBackend* const> backends, int ways) {
  std::vector<NamedAnswer> all;
  for (const LoweringCase& item : cases) {
    SCOPED_TRACE(item.name);
    const BuiltCase built(item);
    for (const KernelBackend* backend : backends) {
      const std::vector<LoweredAnswer> answers =
          LowerInVariants(built.builder.graph(), built.module, *backend, ways);
      // Rows of a few elements have one design: more threads for a row would have no work.
      const bool one_way =
          answers.size() == 1 && answers[0].calls[0].strategy == "thread_a_short_row";
      EXPECT_GE(answers.size(), std::min<std::size_t>(ways, one_way ? 1 : 2))
          << LowerGraph(built.builder.graph(), built.module, {}).obstacle;
      for (const LoweredAnswer& answer : answers) {
        all.push_back(
            {item.name + (backend == &kMusaBackend ? " for MUSA" : "") + ": " + answer.Structure(),
             built.reference, answer});
      }
    }
  }
  return all;
}

// Judges this commit's share of the answers; lowering_long_test.cc judges all.
void ExpectShareCorrect(const std::vector<NamedAnswer>& answers, std::size_t share) {
  LoweringJudge judge(false);
  for (const NamedAnswer& item : SampleOfCommit(answers, share)) {
    SCOPED_TRACE(item.name);
    judge.ExpectCorrect(item.reference, item.answer);
  }
}

constexpr std::array<const KernelBackend*, 1> kCudaAlone = {&kCudaBackend};

// The cases with one of these words in their name.
std::vector<LoweringCase> CasesNamed(const std::vector<std::string_view>& words) {
  std::vector<LoweringCase> cases = AllLoweringCases();
  std::erase_if(cases, [&](const LoweringCase& item) {
    return std::none_of(words.begin(), words.end(), [&](std::string_view word) {
      return item.name.find(word) != std::string::npos;
    });
  });
  EXPECT_GE(cases.size(), 4u);
  return cases;
}

KM_SHARED_SUITE(Lowering);

TEST(Lowering, AnswersOfThisCommitsShareAreCorrect) {
  ExpectShareCorrect(AnswersTo(AllLoweringCases(), KernelBackends(), kManyAnswers), 8);
}

// Partial tiles of queries, keys and columns, and every kind of mask, for both strategies.
TEST(Lowering, AttentionIsCorrectAtOddSizes) {
  ExpectShareCorrect(AnswersTo(CasesNamed({"attention"}), kCudaAlone, kManyAnswers), 4);
}

TEST(Lowering, AnswersToWhatAsksForAnOrderAreCorrect) {
  ExpectShareCorrect(AnswersTo(OrderCases(), kCudaAlone, kManyAnswers), 4);
}

TEST(Lowering, AnswersToWhatAsksForAnOrderOfLongRowsAreCorrect) {
  ExpectShareCorrect(AnswersTo(LongOrderCases(), kCudaAlone, 1), 4);
}

// Includes threads beyond the last column, and partial parts.
TEST(Lowering, AnswersAlongColumnsAreCorrect) {
  ExpectShareCorrect(AnswersTo(CasesNamed({"columns"}), kCudaAlone, 2), 4);
}

// Rows with several elements per thread, including a partial last piece.
TEST(Lowering, RunningResultsAreCorrect) {
  ExpectShareCorrect(AnswersTo(CasesNamed({"running", "so far"}), kCudaAlone, 2), 4);
}

// The first answer uses atomics, with several threads per element.
TEST(Lowering, AnswersToWhatScattersAreCorrect) {
  ExpectShareCorrect(AnswersTo(ScatterCases(), kCudaAlone, 1), 4);
}

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
