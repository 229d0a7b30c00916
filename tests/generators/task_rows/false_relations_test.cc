// False sentences: true ones of rows in which one relation was changed. The check of relations has
// to refuse every one, and to accept the sentences that they were made from.
#include "generators/grounding/false_relations.h"

#include <gmock/gmock.h>

#include <regex>

#include "generators/grounding/row_rules.h"
#include "generators/grounding/sentence_pattern.h"
#include "generators/perturbation/bug.h"
#include "tests/generators/task_rows/generated_known_task.h"
#include "tests/generators/task_rows/prose_of_row.h"
#include "tests/generators/task_rows/small_known_task.h"

namespace kernelmill {
namespace {

// A pattern of a true sentence, and what the changed one says instead.
struct Alteration {
  const char* pattern;
  const char* instead;
};

constexpr Alteration kAlterations[] = {
    // Scope: thread, warp, block or grid.
    {"Each thread starts its loop", "Each warp starts its loop"},
    {"Each thread starts its loop", "Each block starts its loop"},
    {"threads with `([^`]+)` return before", "blocks with `$1` return before"},
    {"threads with `([^`]+)` return before", "warps with `$1` return before"},
    {"The threads of a block share", "The threads of a warp share"},
    {"The threads of a block share", "The threads of the grid share"},
    {"blocks of (\\d+) threads\\.", "warps of $1 threads."},
    {"threads per block\\.", "threads per warp."},
    {"thread i computes", "warp i computes"},
    {"thread i computes", "block i computes"},
    {"thread i computes element i", "thread i computes row i"},
    {"reads of other threads", "reads of other blocks"},
    {"partial results of the threads", "partial results of the blocks"},
    {"(In `\\w+`, )a block computes", "$1a warp computes"},
    // Purpose of loops and guards, and the order of events.
    {"starts its loop over `\\w+`", "starts its loop over `n`"},
    {"at `([^`]+)` and continues with `([^`]+)`", "at `$2` and continues with `$1`"},
    {"continues with `([^`]+)` while `([^`]+)`", "continues with `$2` while `$1`"},
    {"return before they access memory", "return after they access memory"},
    {"threads with `([^`]+)` return before they access memory", "only threads with `$1` store"},
    {"separates the writes to it from the reads of",
     "separates the reads of it from the writes of"},
    {"in every iteration; all threads", "in the first iteration; all threads"},
    {"does no iteration\\.", "does one iteration."},
    {"`i >= n` return before", "`i < n` return before"},
    {"a missing or wrong `([^`]+)`", "a missing or wrong `!($1)`"},
    // Names and the order of operators.
    {"`forward` computes `(\\w+)`(, | and )`(\\w+)`", "`forward` computes `$3`$2`$1`"},
    {"`forward` computes one operator, `\\w+`", "`forward` computes one operator, `exp2`"},
    {" is a contraction: .*shared dimension",
     " is elementwise: each output element depends only on the input elements at its position"},
    {" is elementwise: .*at its position",
     " is a contraction: each output element is a sum of products along the shared dimension"},
    {" are elementwise: .*at its position",
     " are contractions: each output element is a sum of products along the shared dimension"},
    {" normalises along a dimension, so .*whole row",
     " combines all elements along the reduced dimensions into one"},
    {" combines all elements along .*into one", " reduces each window of the input to one element"},
    {" reduces each window of the input to one element",
     " combines all elements along the reduced dimensions into one"},
    {" sums, for each output element, .*of its group",
     " reduces each window of the input to one element"},
    {" normalises with statistics .*is known",
     " normalises along a dimension, so each output element depends on its whole row"},
    {"`\\w+` changes only how elements are indexed",
     "`linear` changes only how elements are indexed"},
    {"The additions of `\\w+`", "The additions of `relu`"},
    {"`\\w+` subtracts the maximum", "`linear` subtracts the maximum"},
    {"subtracts the maximum before", "subtracts the minimum before"},
    {"Without the shift by the maximum, `\\w+`", "Without the shift by the maximum, `linear`"},
    {"Swapping the two indices of a factor of `\\w+`",
     "Swapping the two indices of a factor of `relu`"},
    {"The accumulator of `\\w+`", "The accumulator of `linear`"},
    // Formulas: the roles of operands.
    {"computes `([^`]+)`; `(\\w+)` computes `([^`]+)`", "computes `$3`; `$2` computes `$1`"},
    // Shapes and parameters.
    {"`x` is ([(\\[])(\\d+), (\\d+)", "`x` is $1$3, $2"},
    {"(`x` is .*) float32", "$1 float16"},
    {"The result is ([^:]+): (\\d+)", "The result is $1: 1$2"},
    {" elements, ([\\d.,]+) bytes", " elements, 1$1 bytes"},
    {"`(\\w+)` gives ([^`]+), `(\\w+)` gives ([^`,]+)", "`$3` gives $2, `$1` gives $4"},
    {"`([\\w.]+)` ([(\\[][^`]+[)\\]])(, | and )`([\\w.]+)` ([(\\[][^`;]+[)\\]])",
     "`$4` $2$3`$1` $5"},
    // Launches and indices.
    {"blocks of 256 threads", "blocks of 128 threads"},
    {"that is (\\d+) blocks", "that is 1$1 blocks"},
    {"in the last one (\\d+) threads", "in the last one 1$1 threads"},
    {"the index is `(\\w+) = ", "the index is `other_$1 = "},
    {"blockDim\\.x \\+ threadIdx\\.x", "blockDim.y + threadIdx.y"},
    {"The grid is `\\((.+), ([^,]+)\\)`", "The grid is `($2, $1)`"},
    {"The launch has `([^`]+)` blocks", "The launch has `2 * ($1)` blocks"},
    // Costs.
    {"moves? ([\\d.,]+ \\w+)( and .*would move )([\\d.,]+ \\w+)", "moves $3$2$1"},
    {"(does|do) (\\d)", "$1 1$2"},
    {"below the ([\\d.]+) FLOPs per byte of the ridge", "above the $1 FLOPs per byte of the ridge"},
    {"A launch takes several microseconds, so launch latency",
     "A launch takes several microseconds, so memory bandwidth"},
    {"this takes at least ([\\d.]+) µs\\.",
     "this takes at least $1 µs, longer than a launch, so memory bandwidth is the limit."},
    {"(arithmetic intensity is )(\\d)", "$011$2"},
    {"every intermediate tensor is written", "every parameter is written"},
    {"The largest part is `\\w+`", "The largest part is `forward`"},
    {"this takes at least", "this takes at most"},
    {"At the peak rates of an A100", "At the peak rates of an MTT S4000"},
    {"once, the kernel", "twice, the kernel"},
    // Counters.
    {"A load request touches", "A store request touches"},
    {"32 neighbouring lanes with (\\d+)", "32 neighbouring lanes with 1$1"},
    {"touches (\\d)", "touches 1$1"},
    {"Registers \\((\\d+) per thread\\)", "Registers (1$1 per thread)"},
    {"but the grid has (\\d+) blocks", "but the grid has 1$1 blocks"},
    {" by a factor of (\\d)", " by a factor of 1$1"},
    {"\\| (\\d+) \\| (\\d+) \\|\n\\| sectors of global memory \\| ([\\d,]+) \\| ([\\d,]+) \\|",
     "| $1 | $2 |\n| sectors of global memory | $4 | $3 |"},
    {"The change reduces", "The change raises"},
    // Fusion and calls.
    {"`forward` makes (\\d+) calls", "`forward` makes 1$1 calls"},
    {"`(\\w+)` computes (`[^;]+); `(\\w+)` computes (`[^.;]+)",
     "`$3` computes $2; `$1` computes $4"},
    {"launches at least (\\d+) kernels", "launches at least 1$1 kernels"},
    {"elements here need (\\d+) block", "elements here need 1$1 block"},
    {"counts as one of them", "counts as two of them"},
    {"A call of `\\w+` counts", "A call of `sqrtf` counts"},
    {"The partial results that `(\\w+)` and `(\\w+)`", "The partial results that `$2` and `$1`"},
    {"loads `(\\w+)` and `(\\w+)` loads it again", "loads `other` and `$2` loads it again"},
    {"The program is estimated at (\\d)", "The program is estimated at 1$1"},
    {"stay in registers and do not pass", "stay in shared memory and do not pass"},
    {"computes `(\\w+)` and `(\\w+)` together", "computes `$2` and `$1` together"},
    // Alternatives.
    {"which needs ([\\d,]+) (.*, needs )([\\d,]+)", "which needs $3 $2$1"},
    {"Both are estimated at ", "Both are estimated at 1"},
    {"estimated at ([\\d.]+) (times.*estimated at )([\\d.]+)\\.", "estimated at $3 $2$1."},
    {"\\| this program \\| (\\d+)", "| this program | 1$1"},
    {"(\\| one kernel per operator, as in eager mode \\| )(\\d+)", "$011$2"},
};

struct Written {
  std::shared_ptr<KnownTask> known;
  WrittenRow row;
  std::string prose;
};

// Which sentences a row has is drawn by what it is made from, so rows are written until each
// sentence has occurred.
constexpr int kRounds = 24, kTasksOfRound = 12;

std::vector<Written> RowsOf(int round) {
  std::vector<Written> rows;
  const auto add = [&](KnownTask task) {
    const auto known = std::make_shared<KnownTask>(std::move(task));
    std::vector<WrittenRow> written;
    for (const TaskRows& family : AllTaskRows()) family.write(*known, &written);
    for (WrittenRow& row : written) {
      const Family family = row.training.family;
      const bool prose_alone = family == Family::kAnalyze;
      if (CandidatesOf(*known, row).empty() ||
          (row.training.reasoning == kReasoningNone && !prose_alone)) {
        continue;
      }
      std::string prose = ProseOf(row.training.messages.back().content);
      if (prose.size() > 10) rows.push_back({known, std::move(row), std::move(prose)});
    }
  };
  KnownTask small = SmallTask();
  small.seed += round;
  small.facts.parameters = {{"fc.weight", {8, 4}, "float32"}, {"fc.bias", {8}, "float32"}};
  add(std::move(small));
  constexpr int kLevels[] = {1, 2, 2, 3};
  TaskGenerator generator({.seed = 60 + static_cast<std::uint64_t>(round),
                           .levels = {kLevels[static_cast<std::size_t>(round) % 4]}});
  for (int i = 0; i < kTasksOfRound && generator.Next(); ++i) add(KnownTaskOf(&generator, 2));
  return rows;
}

// Whether the row has the sentence. It is accepted as it is, and refused when it is altered.
bool IsTried(const Alteration& alteration, const std::regex& pattern, const Written& written) {
  if (!std::regex_search(written.prose, pattern)) return false;
  const std::string changed = std::regex_replace(written.prose, pattern, alteration.instead,
                                                 std::regex_constants::format_first_only);
  if (changed == written.prose) return false;
  const auto about = CandidatesOf(*written.known, written.row);
  EXPECT_THAT(FalseRelations(written.prose, *written.known, about), testing::IsEmpty());
  EXPECT_THAT(FalseRelations(changed, *written.known, about), testing::Not(testing::IsEmpty()))
      << alteration.pattern << " -> " << alteration.instead << "\n"
      << changed;
  return true;
}

TEST(FalseRelations, OneChangedRelationIsRefused) {
  static_assert(std::size(kAlterations) >= 60);
  std::vector<std::pair<const Alteration*, std::regex>> left;
  for (const Alteration& one : kAlterations) left.emplace_back(&one, std::regex(one.pattern));
  for (int round = 0; round < kRounds && !left.empty(); ++round) {
    for (const Written& written : RowsOf(round)) {
      std::erase_if(left,
                    [&](const auto& one) { return IsTried(*one.first, one.second, written); });
    }
  }
  for (const auto& [alteration, pattern] : left) {
    ADD_FAILURE() << "no row has a sentence for " << alteration->pattern;
  }
}

TEST(FalseRelations, AnotherBugsCauseIsRefused) {
  KnownTask known;
  Candidate mutant, other;
  mutant.bug = "missing_guard";
  other.bug = "missing_barrier";
  const std::string said(FindBug(mutant.bug)->cause);
  EXPECT_THAT(FalseRelations("The mistake: " + said + ".", known, {&mutant}), testing::IsEmpty());
  EXPECT_THAT(FalseRelations("The mistake: " + said + ".", known, {&other}), testing::SizeIs(1));
}

TEST(SentencePattern, TakesSlotsUpToTheNextText) {
  const auto slots = MatchSentence("In `{kernel}`, {rest}.", "In `k`, one. Two.");
  ASSERT_TRUE(slots);
  EXPECT_EQ(slots->at("kernel"), "k");
  EXPECT_EQ(slots->at("rest"), "one. Two");
  EXPECT_FALSE(MatchSentence("In `{kernel}`, {rest}.", "In `k`, one"));
  EXPECT_FALSE(MatchSentence("a {n} b", "a  b"));
  EXPECT_THAT(NamesInList("`a`, `b` and `c`"), testing::ElementsAre("a", "b", "c"));
  EXPECT_THAT(NamesInList("`a`, …"), testing::ElementsAre("a"));
  EXPECT_THAT(NamesInList("`a` or `b`"), testing::IsEmpty());
}

}  // namespace
}  // namespace kernelmill
