#include "generators/lowering/estimated_speed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "corpora/operators/operator_table.h"
#include "corpora/records/candidate.h"
#include "generators/lowering/measured_speed.h"
#include "generators/lowering/strategy.h"
#include "tests/generators/task_rows/generated_known_task.h"

namespace kernelmill {
namespace {

TEST(MeasuredSpeeds, AreOfStrategiesAndOperatorsThatExist) {
  std::set<std::string_view> strategies;
  for (const Strategy& strategy : AllStrategies()) strategies.insert(strategy.name);
  std::set<std::tuple<std::string_view, std::string_view, bool>> known;
  for (const MeasuredSpeed& row : AllMeasuredSpeeds()) {
    EXPECT_TRUE(strategies.contains(row.strategy)) << row.strategy;
    EXPECT_TRUE(row.op.empty() || FindOperator(row.op) != nullptr) << row.op;
    EXPECT_GT(row.speed, 0);
    EXPECT_GT(row.answers, 0);
    EXPECT_TRUE(known.emplace(row.strategy, row.op, row.sixteen_bits).second) << row.strategy;
    EXPECT_EQ(FindMeasuredSpeed(row.strategy, row.op, row.sixteen_bits), row.speed);
  }
  EXPECT_EQ(FindMeasuredSpeed("no such strategy", "add", false), std::nullopt);
}

// A fused kernel reads and writes once what eager reads and writes between operators.
TEST(EstimatedSpeed, FusionSavesAndSlowKernelsCost) {
  TaskGenerator tasks({.seed = 12, .levels = {1, 2, 3}});
  int saved = 0, slowed = 0;
  for (int i = 0; i < 200 && tasks.Next(); ++i) {
    const OperatorGraph& graph = tasks.sampler().large();
    std::string source;
    tasks.AppendSource(SourceSizes::kLarge, &source);
    const ModuleText module = ModuleTextOfPlan(graph, tasks.sampler().small(),
                                               tasks.source().plan(), source, SourceSizes::kLarge);
    for (const LoweredAnswer& answer : LowerInVariants(graph, module, kCudaBackend, 1)) {
      std::vector<CallPlan> kernels = answer.calls;
      const SpeedEstimate estimate = EstimateSpeed(graph, kernels);
      EXPECT_GT(estimate.calibrated, 0);
      EXPECT_EQ(estimate.calibrated, answer.speed.calibrated);
      EXPECT_EQ(estimate.modelled, answer.speed.modelled);
      const bool moves = std::all_of(kernels.begin(), kernels.end(), [&](const CallPlan& plan) {
        return std::all_of(plan.nodes.begin(), plan.nodes.end(), [&](int node) {
          return graph.Cost(graph.nodes()[node]).bytes > 0;
        });
      });
      if (!moves) continue;  // Views take no time in eager, but copies do.
      // A strategy without measurements is assumed to be as fast as the model.
      for (CallPlan& plan : kernels) plan.strategy = "";
      EXPECT_EQ(EstimateSpeed(graph, kernels).calibrated, estimate.modelled);
      for (CallPlan& plan : kernels) plan.busy_threads = plan.uncoalesced = 0;
      const double full = EstimateSpeed(graph, kernels).modelled;
      EXPECT_GE(full, estimate.modelled);
      EXPECT_GE(full, 0.9) << answer.text;
      saved += full > 1;
      for (CallPlan& plan : kernels) plan.strategy = "kernel_a_step";
      EXPECT_LE(EstimateSpeed(graph, kernels).calibrated, full);
      slowed += IsSlow(EstimateSpeed(graph, kernels).calibrated);
    }
  }
  EXPECT_GT(saved, 20);
  EXPECT_GT(slowed, 20);
  EXPECT_EQ(EstimateSpeed(OperatorGraph(), {}).calibrated, 0);
}

}  // namespace
}  // namespace kernelmill
