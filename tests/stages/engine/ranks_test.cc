// Tests that any number of processes may do one step: the result is that of one process, whatever
// the world, and whoever is killed or started twice. Each process does its own partitions only.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <random>
#include <vector>

#include "manifests/commit_file.h"
#include "stages/engine/partition_lease.h"
#include "stages/engine/partition_writer.h"
#include "tests/stages/engine/square_step.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int kCount = 300;

// Notes each input that it processes in a file, also if its process is killed.
class NotedStep : public SquareStep {
 public:
  NotedStep(std::string file, int delay_us) : SquareStep(1, delay_us), file_(std::move(file)) {}
  Result<Outcome> Process(const Input& input, Lane& lane) override {
    std::ofstream(file_, std::ios::app) << input.body + "\n";
    return SquareStep::Process(input, lane);
  }

 private:
  std::string file_;
};

// Calls a function of the test for the step.
class GivenExecutor : public StepExecutor {
 public:
  using Function = std::function<void(const PlannedStep&)>;
  explicit GivenExecutor(Function function) : function_(std::move(function)) {}
  Status Complete(const PlannedStep& step, Progress*) override {
    function_(step);
    return Status::Ok();
  }

 private:
  Function function_;
};

class RanksTest : public EngineTest {
 protected:
  // Starts a rank as a process, which ends with the exit code of its status.
  pid_t StartRank(const RunOptions& options, const Share& share, int delay_us = 0) {
    const pid_t child = fork();
    if (child != 0) return child;
    auto run = kernelmill::Run::Join(options);
    if (!run.ok()) _exit(ExitCodeOf(run.status().code()));
    NotedStep step(Notes(), delay_us);
    _exit(ExitCodeOf(run->DoShare(step, share).code()));
  }
  static int EndOf(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string Notes() const { return folder_ + "/notes"; }
  std::int64_t Processed() const {
    std::ifstream file(Notes());
    std::int64_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }
  // Leads a run whose step `ranks` does. Returns what the step has left.
  std::string Lead(RunOptions options, GivenExecutor::Function ranks) {
    GivenExecutor executor(std::move(ranks));
    options.executor = &executor;
    return RunWhole(options, kCount);
  }
};

TEST_F(RanksTest, NeitherTheWorldNorTwinsChangeTheResultAndNothingIsDoneTwice) {
  const std::string expected = RunWhole(Options("base"), kCount);
  for (const std::int64_t world : {1, 2, 5, 11}) {
    const RunOptions options = Options("world" + std::to_string(world));
    fs::remove(Notes());
    const auto ranks = [&](const PlannedStep&) {
      std::vector<pid_t> children;
      for (std::int64_t rank = 0; rank < world; ++rank) {
        for (int twin = 0; twin < 2; ++twin) {
          children.push_back(StartRank(options, {rank, world}, 100));
        }
      }
      for (const pid_t child : children) EXPECT_EQ(EndOf(child), 0);
    };
    EXPECT_EQ(Lead(options, ranks), expected) << "world " << world;
    EXPECT_EQ(Processed(), kCount) << "world " << world;
  }
}

TEST_F(RanksTest, ARankDoesItsPartitionsAndNoOthers) {
  const RunOptions options = Options("a");
  Lead(options, [&](const PlannedStep& step) {
    EXPECT_EQ(EndOf(StartRank(options, {1, 3})), 0);
    for (std::int64_t partition = 0; partition < step.plan.partitions; ++partition) {
      EXPECT_EQ(IsCommitted(step.folder, partition), partition % 3 == 1) << partition;
    }
    EXPECT_EQ(MissingPartitions(step.folder, step.plan, {1, 3}).size(), 0u);
    EXPECT_EQ(EndOf(StartRank(options, {0, 1})), 0);
  });
}

TEST_F(RanksTest, KilledRanksOfChangingWorldsEndTheSame) {
  const std::string expected = RunWhole(Options("base"), kCount);
  std::mt19937 random(5);
  int kills = 0;
  for (int round = 0; round < 3; ++round) {
    const RunOptions options = Options("killed" + std::to_string(round));
    const auto ranks = [&](const PlannedStep& step) {
      for (int attempt = 0; !MissingPartitions(step.folder, step.plan).empty(); ++attempt) {
        ASSERT_LT(attempt, 200);
        const std::int64_t world = 1 + random() % 5;
        std::vector<pid_t> children;
        for (std::int64_t rank = 0; rank < world; ++rank) {
          children.push_back(StartRank(options, {rank, world}, 300));
        }
        children.push_back(StartRank(options, {0, world}, 300));
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40));
        for (const pid_t child : children) {
          if (random() % 4 > 0) kill(child, SIGKILL);
        }
        for (const pid_t child : children) {
          const int end = EndOf(child);
          EXPECT_TRUE(end == 0 || end == -SIGKILL) << end;
          kills += end != 0 ? 1 : 0;
        }
      }
    };
    EXPECT_EQ(Lead(options, ranks), expected) << "round " << round;
  }
  EXPECT_GT(kills, 0);
}

TEST_F(RanksTest, AnotherProgramOrConfigurationIsRefused) {
  const RunOptions options = Options("a");
  Lead(options, [&](const PlannedStep&) {
    auto run = kernelmill::Run::Join(options);
    ASSERT_TRUE(run.ok()) << run.status().message();
    SquareStep other(2);
    const Status changed = run->DoShare(other, {});
    EXPECT_EQ(changed.code(), ErrorCode::kPlanChanged);
    EXPECT_THAT(changed.message(), HasSubstr("factor is now 2 and was 1"));
    RunOptions rebuilt = options;
    rebuilt.tool = DigestOf("another program");
    auto second = kernelmill::Run::Join(rebuilt);
    ASSERT_TRUE(second.ok());
    SquareStep step;
    EXPECT_THAT(second->DoShare(step, {}).message(), HasSubstr("kernelmill itself"));
    EXPECT_EQ(EndOf(StartRank(options, {})), 0);
  });
}

TEST_F(RanksTest, WhatIsNotReadyIsAskedForAgain) {
  EXPECT_EQ(kernelmill::Run::Join(Options("nowhere")).status().code(), ErrorCode::kNotFound);
  const RunOptions options = Options("a");
  const auto leader = kernelmill::Run::Open(options);
  ASSERT_TRUE(leader.ok());
  auto rank = kernelmill::Run::Join(options);
  ASSERT_TRUE(rank.ok()) << rank.status().message();
  SquareStep step;
  EXPECT_EQ(rank->DoShare(step, {}).code(), ErrorCode::kBusy);
  EXPECT_EQ(rank->Recall("square").code(), ErrorCode::kBusy);
  Lead(Options("b"), [&](const PlannedStep&) {
    auto other = kernelmill::Run::Join(Options("b"));
    ASSERT_TRUE(other.ok());
    ASSERT_TRUE(other->DoShare(step, {0, 2}).ok());
    const Status unfinished = other->Recall("square");
    EXPECT_EQ(unfinished.code(), ErrorCode::kBusy);
    EXPECT_THAT(unfinished.message(), HasSubstr("it lacks partitions (1, 3, 5)"));
    ASSERT_TRUE(other->DoShare(step, {1, 2}).ok());
    EXPECT_TRUE(other->Recall("square").ok());
    EXPECT_EQ(other->finished().at(0).plan.step, "square");
  });
}

TEST_F(RanksTest, ARunIsNotDiscardedUnderItsRanks) {
  const RunOptions options = Options("a");
  auto leader = kernelmill::Run::Open(options);
  ASSERT_TRUE(leader.ok());
  {
    const auto rank = kernelmill::Run::Join(options);
    ASSERT_TRUE(rank.ok());
    EXPECT_EQ(leader->DiscardSteps().code(), ErrorCode::kBusy);
    EXPECT_TRUE(fs::exists(options.output + "/.run/steps"));
  }
  {
    // A rank of another machine, whose lock is not seen here.
    ASSERT_TRUE(MakeFolders(options.output + "/.run/steps/square").ok());
    LeaseKeeper leases(options.output + "/.run/steps/square");
    ASSERT_TRUE(leases.Take(3).value());
    EXPECT_EQ(leader->DiscardSteps().code(), ErrorCode::kBusy);
  }
  EXPECT_TRUE(leader->DiscardSteps().ok());
  EXPECT_FALSE(fs::exists(options.output + "/.run/steps"));
}

TEST_F(RanksTest, TheSecondOfTwoUnequalCommitsIsAnErrorThatNamesThePartition) {
  Plan plan;
  plan.step = "square";
  plan.inputs = 3;
  const auto commit = [&](const std::string& body) -> Status {
    KM_ASSIGN(PartitionWriter writer, PartitionWriter::Create(folder_, plan, 0));
    KM_RETURN_IF_ERROR(writer.Add({"key", "2"}, Outcome::Keep({{"key", body}})));
    return writer.Commit();
  };
  EXPECT_TRUE(commit("4").ok());
  const std::string first = ReadFile(folder_ + "/part-00000.json").value();
  EXPECT_TRUE(commit("4").ok());
  const Status unequal = commit("5");
  EXPECT_EQ(unequal.code(), ErrorCode::kInternal);
  EXPECT_THAT(unequal.message(), HasSubstr("part-00000.json"));
  EXPECT_THAT(unequal.message(), HasSubstr("the outputs differ"));
  EXPECT_EQ(ReadFile(folder_ + "/part-00000.json").value(), first);
  EXPECT_TRUE(ReadPartitionManifest(folder_, plan, 0).ok());
}

class LeaseTest : public EngineTest {
 protected:
  std::string Path() const { return folder_ + "/part-00004.lease"; }
  // Writes the lease of a process that this machine does not see.
  void LeaveForeignLease(std::int64_t age) {
    PartitionLease lease;
    lease.partition = 4;
    lease.host = "elsewhere";
    lease.pid = 1;
    lease.processes = "another machine";
    ASSERT_TRUE(ReplaceFile(Path(), lease.ToJson().Dump()).ok());
    const timespec time = {std::time(nullptr) - age, 0};
    const timespec times[] = {time, time};
    ASSERT_EQ(utimensat(AT_FDCWD, Path().c_str(), times, 0), 0);
  }
};

TEST_F(LeaseTest, OneHolderAtATime) {
  LeaseKeeper first(folder_);
  ASSERT_TRUE(first.Take(4).value());
  LeaseKeeper second(folder_);
  EXPECT_FALSE(second.Take(4).value());
  EXPECT_EQ(LiveLeases(folder_).at(0).pid, getpid());
  first.GiveBack(4);
  EXPECT_TRUE(second.Take(4).value());
}

TEST_F(LeaseTest, ALeaseOfAnotherMachineHoldsUntilItExpires) {
  LeaseKeeper keeper(folder_);
  LeaveForeignLease(kLeaseTime.count() / 2);
  EXPECT_FALSE(keeper.Take(4).value());
  EXPECT_EQ(LiveLeases(folder_).at(0).host, "elsewhere");
  LeaveForeignLease(2 * kLeaseTime.count());
  EXPECT_TRUE(LiveLeases(folder_).empty());
  EXPECT_TRUE(keeper.Take(4).value());
  // What the other one does when it goes on does no harm, and its lease stays ours.
  EXPECT_EQ(LiveLeases(folder_).at(0).pid, getpid());
}

TEST_F(LeaseTest, TheLeaseOfADeadProcessIsFreeAtOnce) {
  const pid_t child = fork();
  if (child == 0) {
    LeaseKeeper keeper(folder_);
    _exit(keeper.Take(4).value() ? 0 : 1);  // Without the destructor.
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(fs::exists(Path()));
  LeaseKeeper keeper(folder_);
  EXPECT_TRUE(keeper.Take(4).value());
}

TEST_F(LeaseTest, AStolenLeaseIsNotRemoved) {
  {
    LeaseKeeper keeper(folder_);
    ASSERT_TRUE(keeper.Take(4).value());
    LeaveForeignLease(0);
  }
  EXPECT_TRUE(fs::exists(Path()));
}

TEST_F(LeaseTest, OfManyThatSeeAnExpiredLeaseOneTakesIt) {
  for (int round = 0; round < 20; ++round) {
    LeaveForeignLease(2 * kLeaseTime.count());
    std::atomic<int> holders = 0;
    std::vector<std::unique_ptr<LeaseKeeper>> keepers;
    for (int i = 0; i < 4; ++i) keepers.push_back(std::make_unique<LeaseKeeper>(folder_));
    std::vector<std::thread> threads;
    for (auto& keeper : keepers) {
      threads.emplace_back([&] { holders += keeper->Take(4).value() ? 1 : 0; });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(holders, 1) << "round " << round;
  }
}

}  // namespace
}  // namespace kernelmill
