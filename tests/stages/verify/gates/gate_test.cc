#include "stages/verify/gates/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "tests/stages/verify/candidate_files.h"

namespace kernelmill {
namespace {

constexpr VerdictStatus kAllStatuses[] = {VerdictStatus::kCorrect,
                                          VerdictStatus::kWrong,
                                          VerdictStatus::kNotGeneral,
                                          VerdictStatus::kIllegal,
                                          VerdictStatus::kNoAnswer,
                                          VerdictStatus::kNotBuilt,
                                          VerdictStatus::kNotLoaded,
                                          VerdictStatus::kCrashed,
                                          VerdictStatus::kTimedOut,
                                          VerdictStatus::kOutOfBounds,
                                          VerdictStatus::kIllegalAddress,
                                          VerdictStatus::kRace,
                                          VerdictStatus::kUndefinedBehaviour,
                                          VerdictStatus::kUnsupported,
                                          VerdictStatus::kUndecided,
                                          VerdictStatus::kReferenceFailed};

TEST(GatesTest, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<GateId> ids;
  for (const Gate& gate : AllGates()) {
    EXPECT_TRUE(names.insert(gate.name).second) << gate.name;
    EXPECT_TRUE(ids.insert(gate.id).second) << gate.name;
    EXPECT_FALSE(gate.endings.empty()) << gate.name;
    // The gate in `reported_as` reports itself.
    const auto reported =
        std::find_if(AllGates().begin(), AllGates().end(),
                     [&](const Gate& other) { return other.id == gate.reported_as; });
    ASSERT_NE(reported, AllGates().end());
    EXPECT_EQ(reported->reported_as, reported->id);
  }
}

TEST(GatesTest, EveryStatusHasAGateAndEveryReasonIsKnown) {
  for (const VerdictStatus status : kAllStatuses) {
    if (status == VerdictStatus::kCorrect) {
      EXPECT_TRUE(MayEndWith(kPassedGate, status, ""));
      continue;
    }
    const bool any = std::any_of(AllGates().begin(), AllGates().end(), [&](const Gate& gate) {
      return std::any_of(gate.endings.begin(), gate.endings.end(),
                         [&](const GateEnding& ending) { return ending.status == status; });
    });
    EXPECT_TRUE(any) << StatusName(status);
    EXPECT_FALSE(MayEndWith(kPassedGate, status, ""));
  }
  for (const Gate& gate : AllGates()) {
    for (const GateEnding& ending : gate.endings) {
      for (const std::string_view reason : ending.reasons) {
        EXPECT_NE(ExplainVerdictReason(ending.status, reason), "") << gate.name << " " << reason;
      }
    }
  }
  EXPECT_FALSE(MayEndWith("compile", VerdictStatus::kWrong, "values"));
  EXPECT_FALSE(MayEndWith("decoy", VerdictStatus::kIllegal, "decoy_kernel"));
  EXPECT_TRUE(MayEndWith("legality", VerdictStatus::kIllegal, "decoy_kernel"));
}

TEST(GatesTest, TheWorseOfTwoResultsHolds) {
  EXPECT_EQ(std::max(GateResult::kPassed, GateResult::kNotCompared), GateResult::kNotCompared);
  EXPECT_EQ(std::max(GateResult::kEnded, GateResult::kNotCompared), GateResult::kEnded);
}

TEST(GatesTest, ReadmeHasTheTable) {
  const std::string readme = TextOf(CheckoutRoot() / "README.md");
  EXPECT_NE(readme.find(GateTable()), readme.npos) << GateTable();
}

}  // namespace
}  // namespace kernelmill
