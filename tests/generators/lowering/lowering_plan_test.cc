#include "generators/lowering/lowering_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "generators/lowering/answer_text.h"
#include "generators/lowering/plan_lowering.h"
#include "tests/generators/task_rows/generated_known_task.h"

namespace kernelmill {
namespace {

std::size_t CountOf(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Calls `use` for plans of sampled graphs, in several variants.
template <typename Use>
void ForEachPlan(const Use& use) {
  TaskGenerator tasks({.seed = 21, .levels = {2, 3, 4}});
  for (int i = 0; i < 60 && tasks.Next(); ++i) {
    const OperatorGraph& graph = tasks.sampler().large();
    std::string source;
    tasks.AppendSource(SourceSizes::kLarge, &source);
    const ModuleText module = ModuleTextOfPlan(graph, tasks.sampler().small(),
                                               tasks.source().plan(), source, SourceSizes::kLarge);
    for (const bool fuse : {true, false}) {
      for (int variant = 0; variant < 2; ++variant) {
        const LoweringPlanning planning =
            PlanLowering(graph, module, {.fuse = fuse, .variant = variant});
        EXPECT_EQ(planning.plan.has_value(), planning.obstacle.empty());
        if (!planning.plan) continue;
        SCOPED_TRACE(source + planning.plan->Text());
        use(graph, module, *planning.plan);
      }
    }
  }
}

TEST(LoweringPlan, EveryStepIsPrintedAndWritten) {
  int plans = 0;
  ForEachPlan([&](const OperatorGraph&, const ModuleText& module, const LoweringPlan& plan) {
    ++plans;
    const std::string printed = plan.Text(), text = AnswerText(plan, module);
    const Json json = plan.ToJson();
    EXPECT_EQ(CountOf("\n", printed), plan.lines.size() + 1);
    EXPECT_EQ(json.Find("steps")->as_array().size(), plan.lines.size());
    std::size_t calls = 0;
    for (const PlannedLine& line : plan.lines) {
      if (line.function < 0) continue;
      const CallPlan& facts = plan.calls[line.call];
      const PlannedFunction& function = plan.functions[line.function];
      ++calls;
      EXPECT_EQ(facts.function, function.name);
      EXPECT_EQ(facts.kernels, function.kernels);
      EXPECT_NE(printed.find(function.name + '('), std::string::npos);
      EXPECT_NE(printed.find(facts.strategy), std::string::npos);
      EXPECT_NE(text.find("ops." + function.name + '('), std::string::npos);
      for (const std::string& kernel : facts.kernels) {
        EXPECT_NE(text.find(kernel + "<<<"), std::string::npos) << kernel;
      }
    }
    EXPECT_EQ(plan.calls.size(), calls);
  });
  EXPECT_GE(plans, 150);
}

TEST(LoweringPlan, AnAnswerHoldsEachDefinitionOnce) {
  ForEachPlan([](const OperatorGraph&, const ModuleText& module, const LoweringPlan& plan) {
    const std::string text = AnswerText(plan, module);
    std::set<std::string> names;
    for (const PlannedFunction& function : plan.functions) {
      EXPECT_TRUE(names.insert(function.name).second);
      for (const DeviceDefinition& definition : function.definitions) {
        // The text defines exactly the name under which it is stored.
        EXPECT_NE(definition.text.find(definition.name), std::string::npos) << definition.name;
        std::string_view body = definition.text;
        while (body.ends_with('\n')) body.remove_suffix(1);
        EXPECT_EQ(CountOf(body, text), 1u) << definition.name;
        EXPECT_EQ(CountOf("__global__", body), CountOf("_kernel(", body) > 0 ? 1u : 0u) << body;
      }
    }
  });
}

// Groups with the same operators share a function unless they differ in more than names.
TEST(LoweringPlan, EqualGroupsShareAFunction) {
  int shared = 0, apart = 0;
  ForEachPlan([&](const OperatorGraph&, const ModuleText&, const LoweringPlan& plan) {
    shared += plan.calls.size() > plan.functions.size();
    const auto unnamed = [](std::string text, const PlannedFunction& function) {
      const std::string word = function.name.substr(0, function.name.find("_forward")) + '_';
      for (std::size_t at = text.find(word); at != text.npos; at = text.find(word)) {
        text.replace(at, word.size(), "@");
      }
      std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
      return text;
    };
    std::set<std::string> texts;
    for (const PlannedFunction& function : plan.functions) {
      std::string text = function.host.definition;
      for (const DeviceDefinition& definition : function.definitions) text += definition.text;
      EXPECT_TRUE(texts.insert(unnamed(text, function)).second) << text;
      ++apart;
    }
  });
  EXPECT_GE(shared, 10);
  EXPECT_GE(apart, 300);
}

}  // namespace
}  // namespace kernelmill
