#include "stages/recipes/step_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "stages/engine/run_status.h"
#include "stages/engine/subject_records.h"
#include "stages/recipes/run_steps.h"
#include "stages/render/renderer.h"

namespace kernelmill {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(StepTable, EveryRecipeListsStepsOfTheTableBehindThoseThatTheyRead) {
  std::set<std::string_view> names;
  for (const StepSpec& step : StepTable()) {
    EXPECT_TRUE(names.insert(step.name).second) << step.name;
    EXPECT_FALSE(step.takes.empty() || step.does.empty()) << step.name;
    for (const std::string_view read : step.reads) EXPECT_TRUE(names.contains(read)) << read;
  }
  for (const Recipe& recipe : AllRecipes()) {
    std::vector<std::string_view> before;
    for (const std::string_view name : recipe.steps) {
      const StepSpec* const step = FindStep(StepTable(), name);
      ASSERT_NE(step, nullptr) << name;
      // A recipe may omit a step that another one reads, but must not run it later.
      for (const std::string_view read : step->reads) {
        const bool listed =
            std::find(recipe.steps.begin(), recipe.steps.end(), read) != recipe.steps.end();
        if (listed) {
          EXPECT_THAT(before, Contains(read)) << name;
        }
      }
      before.push_back(name);
    }
  }
}

TEST(StepTable, SubjectsAreTheKindsThatHaveARenderer) {
  for (const RecordKind kind :
       {RecordKind::kTask, RecordKind::kKernel, RecordKind::kPort, RecordKind::kAnnotation,
        RecordKind::kCandidate, RecordKind::kCheck, RecordKind::kSample, RecordKind::kTraining}) {
    EXPECT_EQ(IsSubject(kind), RendererOf(kind) != nullptr) << RecordKindName(kind);
  }
}

// A step that is not part of this program. It keeps every input unchanged.
class EchoStep : public Step {
 public:
  std::string_view Name() const override { return "echo"; }
  int Version() const override { return 1; }
  Json Parameters() const override { return Json::Object{}; }
  Result<Outcome> Process(const Input& input, Lane&) override {
    return Outcome::Keep({{input.key, input.body}});
  }
};

StepSpec EchoSpec() {
  return {.name = "echo",
          .takes = "tasks to echo",
          .does = "each is kept as it is",
          .reads = {"generate", "supply"},
          .keys =
              [] {
                return std::vector<ConfigKey>{
                    {"echo.on", ConfigType::kBool, true, "", "Whether tasks are echoed."}};
              },
          .validate = nullptr,
          .off = [](const RunForecast& forecast) -> std::string {
            return forecast.config.Bool("echo.on") ? "" : "echo.on is false";
          },
          .preview = nullptr,
          .make = [](const StepContext& context) -> Result<ReadyStep> {
            EXPECT_THAT(context.reads, ElementsAre("generate"));
            EXPECT_THAT(context.steps_up_to("generate"), ElementsAre("generate"));
            return ReadyStep{std::make_unique<EchoStep>(), context.run.OutputsOf("generate")};
          }};
}

// A new step needs only its entry in the table and its name in a recipe.
TEST(StepTable, AStepThatIsAddedIsRunConfiguredAndReported) {
  std::vector<StepSpec> table = StepTable();
  table.push_back(EchoSpec());
  const std::vector<StepSpec> steps =
      StepsOf("echoed", table, {{"echoed", {"generate", "supply", "echo"}}});
  const Result<Config> config = DefaultConfiguration(steps, {"generate.count=2"});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_TRUE(config->Bool("echo.on"));
  EXPECT_TRUE(CheckSettings(steps, *config).ok());
  EXPECT_EQ(WhyOff(steps[1], {.config = *config}), "no source is a file of tasks");

  const std::string folder = testing::TempDir() + "/step_table_test";
  std::filesystem::remove_all(folder);
  Result<kernelmill::Run> run =
      kernelmill::Run::Open({.output = folder, .jobs = 1, .partitions = 1});
  ASSERT_TRUE(run.ok()) << run.status().message();
  const Status status = RunSteps(*run, steps, *config, {});
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(run->finished().size(), 2u);
  EXPECT_EQ(run->finished()[1].plan.step, "echo");
  EXPECT_EQ(run->finished()[1].counts.kept, 2);
  const Result<RunStatus> read = ReadRunStatus(folder, table);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->Text(), HasSubstr("echo: 2 of 2 tasks to echo"));
  EXPECT_THAT(read->to_come, ElementsAre());
  // As if the run had been killed before the step began.
  std::filesystem::remove_all(run->StatePath("steps/echo"));
  const Result<RunStatus> killed = ReadRunStatus(folder, table);
  ASSERT_TRUE(killed.ok());
  EXPECT_THAT(killed->to_come, ElementsAre("echo"));
  EXPECT_THAT(killed->Text(), HasSubstr("echo: not begun"));

  const Result<Config> off = DefaultConfiguration(steps, {"generate.count=2", "echo.on=false"});
  EXPECT_EQ(WhyOff(steps[2], {.config = *off}), "echo.on is false");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kernelmill
