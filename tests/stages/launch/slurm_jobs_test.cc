// Tests how a step is cut into array jobs, and what is refused in their scripts. The scripts run in
// tests/cluster.
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <set>

#include "stages/launch/slurm_executor.h"

namespace kernelmill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Found(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

TEST(SlurmJobs, EveryRankIsInOneArrayBelowTheLimit) {
  for (const std::int64_t limit : {1, 4, 5, 1001}) {
    for (const std::int64_t partitions : {1, 4, 11}) {
      const auto scripts = PreviewScripts("out", "admit", partitions, {}, limit);
      ASSERT_TRUE(scripts.ok());
      std::multiset<std::int64_t> ranks;
      for (const std::string& script : *scripts) {
        const std::string array = Found(script, "--array=([0-9-]+)\n");
        const std::string offset = Found(script, "--offset ([0-9]+)");
        const std::int64_t first = std::stoll(array),
                           from = offset.empty() ? 0 : std::stoll(offset);
        const std::size_t dash = array.find('-');
        const std::int64_t last =
            dash == std::string::npos ? first : std::stoll(array.substr(dash + 1));
        EXPECT_LT(last, limit);
        for (std::int64_t task = first; task <= last; ++task) ranks.insert(task + from);
        EXPECT_THAT(script, HasSubstr("--world " + std::to_string(partitions) + " "));
      }
      std::multiset<std::int64_t> all;
      for (std::int64_t rank = 0; rank < partitions; ++rank) all.insert(rank);
      EXPECT_EQ(ranks, all) << partitions << " below " << limit;
    }
  }
}

TEST(SlurmJobs, OnlyTheRanksThatAreAskedForAreInTheArray) {
  const RankJob job = {.name = "n",
                       .program = "/it's/kernelmill",
                       .output = "/out",
                       .step = "admit",
                       .folder = "/out/ranks",
                       .world = 30,
                       .ranks = {20, 21, 22, 25, 27, 28},
                       .offset = 20};
  const std::string script = ScriptOf(job, {.jobs = 2, .options = {"--mem=1G", "mine:--qos=x"}});
  EXPECT_THAT(script, HasSubstr("#SBATCH --array=0-2,5,7-8\n"));
  EXPECT_THAT(script, HasSubstr("'/it'\\''s/kernelmill' step '/out' admit --world 30 --offset 20"));
  EXPECT_THAT(script, HasSubstr("#SBATCH --mem=1G\n"));
  EXPECT_THAT(script, Not(HasSubstr("--qos")));
  EXPECT_EQ(LogPathOf(job, "77", 25), "/out/ranks/77_5.log");
}

TEST(SlurmJobs, AWorldIsNeverLargerThanThePartitions) {
  const auto scripts = PreviewScripts("out", "admit", 3, {.world = 100}, 0);
  ASSERT_TRUE(scripts.ok());
  ASSERT_EQ(scripts->size(), 1u);
  EXPECT_THAT(scripts->front(), HasSubstr("--array=0-2\n"));
}

TEST(SlurmJobs, OptionsThatTheScriptSetsAreRefused) {
  const std::vector<std::string> steps = {"admit", "verify"};
  const auto check = [&](const std::string& option) {
    return SlurmChoice{.options = {option}}.Check(steps).code();
  };
  for (const char* good : {"--partition=cpu", "-p cpu", "verify:--gres=gpu:1", "--time=1:00:00"}) {
    EXPECT_EQ(check(good), ErrorCode::kOk) << good;
  }
  for (const char* bad : {"--array=1-2", "verify:--output=x", "render:--mem=1G", "cpu",
                          "verify:", "", "--mem=1G\n#SBATCH --array=0"}) {
    EXPECT_EQ(check(bad), ErrorCode::kUsage) << bad;
  }
  EXPECT_EQ(CheckScriptPath("/a/100%A").code(), ErrorCode::kUsage);
  EXPECT_EQ(CheckScriptPath("/a b/it's").code(), ErrorCode::kOk);
}

}  // namespace
}  // namespace kernelmill
