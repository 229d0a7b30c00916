// Tests what the step `check` does with subjects that it cannot write a check for.
#include "stages/check/check_step.h"

#include <gtest/gtest.h>

#include "manifests/json.h"
#include "stages/engine/subject_records.h"

namespace kernelmill {
namespace {

// Mined kernels reach the step with the tasks, because both are subjects.
TEST(CheckStepTest, AMinedKernelIsDropped) {
  Record kernel;
  kernel.kind = RecordKind::kKernel;
  kernel.payload = Json::Object{{"name", "scale"}};
  CheckStep step({.seed = 7, .tries = 1});
  const auto lane = step.OpenLane();
  ASSERT_TRUE(lane.ok()) << lane.status().message();
  Input input;
  input.body = Json(Json::Array{kernel.Encode()}).Dump();
  const auto outcome = step.Process(input, **lane);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome->reason, "not_answered");
}

}  // namespace
}  // namespace kernelmill
