#include "stages/recipes/remembering_step.h"

#include <gtest/gtest.h>

#include "stages/worker/limit_ends.h"
#include "tests/stages/engine/square_step.h"

namespace kernelmill {
namespace {

// Counts, across its copies, how often it worked and how many lanes it opened.
struct Work {
  int processed = 0, lanes = 0;
  bool limited = false;  // Whether a worker's limit ends what it does.
};

class CountedStep : public SquareStep {
 public:
  CountedStep(Work* work, int factor, std::string surroundings)
      : SquareStep(factor), work_(work), surroundings_(std::move(surroundings)) {}
  Result<std::string> Surroundings() const override { return surroundings_; }
  Result<std::unique_ptr<Lane>> OpenLane() override {
    ++work_->lanes;
    return SquareStep::OpenLane();
  }
  Result<Outcome> Process(const Input& input, Lane& lane) override {
    ++work_->processed;
    if (work_->limited) NoteEnd("memory_limit");
    return SquareStep::Process(input, lane);
  }

 private:
  Work* work_;
  std::string surroundings_;
};

class Remembering : public EngineTest {
 protected:
  // All that a run over `count` numbers leaves.
  std::string RunOver(int count, int factor = 1, const std::string& surroundings = "",
                      const std::string& tool = "tool") {
    auto made = RememberingStep::Around(std::make_unique<CountedStep>(&work_, factor, surroundings),
                                        folder_ + "/outcomes", DigestOf(tool),
                                        std::chrono::milliseconds(0));
    EXPECT_TRUE(made.ok()) << made.status().message();
    RunOptions options = Options(std::to_string(++runs_));
    options.jobs = 1;
    auto run = kernelmill::Run::Open(options);
    EXPECT_TRUE(run.ok()) << run.status().message();
    const auto counts = run->Do(**made, Numbers(count));
    EXPECT_TRUE(counts.ok()) << counts.status().message();
    return Left(*run);
  }

  Work work_;
  int runs_ = 0;
};

TEST_F(Remembering, DoesOnlyNewWork) {
  const std::string first = RunOver(40);
  EXPECT_EQ(work_.processed, 40);
  EXPECT_EQ(RunOver(40), first);
  EXPECT_EQ(work_.processed, 40);
  EXPECT_EQ(work_.lanes, 1);  // Nothing was opened for the second run.
  const std::string more = RunOver(50);
  EXPECT_EQ(work_.processed, 50);
  EXPECT_EQ(more, RunWhole(Options("whole"), 50));
}

TEST_F(Remembering, DoesNotKeepWhatALimitMayHaveDecided) {
  work_.limited = true;
  const std::string first = RunOver(10);
  work_.limited = false;
  EXPECT_EQ(RunOver(10), first);
  EXPECT_EQ(work_.processed, 20);
  RunOver(10);
  EXPECT_EQ(work_.processed, 20);
}

TEST_F(Remembering, WorksAgainWhenAnythingThatDecidesDiffers) {
  RunOver(10);
  EXPECT_EQ(RunOver(10, 3), [&] {
    SquareStep step(3);
    auto run = kernelmill::Run::Open(Options("threefold"));
    EXPECT_TRUE(run->Do(step, Numbers(10)).ok());
    return Left(*run);
  }());
  EXPECT_EQ(work_.processed, 20);
  RunOver(10, 1, "another compiler");
  EXPECT_EQ(work_.processed, 30);
  RunOver(10, 1, "", "another program");
  EXPECT_EQ(work_.processed, 40);
  RunOver(10);
  EXPECT_EQ(work_.processed, 40);
}

}  // namespace
}  // namespace kernelmill
