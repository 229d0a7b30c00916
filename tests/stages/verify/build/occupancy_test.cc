// Occupancy on a multiprocessor with 64 warps, 65,536 registers, 164 KiB of shared memory and 32
// blocks.
#include "stages/verify/build/occupancy.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

std::optional<double> Of(std::int64_t registers, std::int64_t shared, std::int64_t threads,
                         std::int64_t dynamic = 0) {
  VerdictDevice device;
  device.kernels = {{"ours::k<float, 4>", registers, 0, 0, shared}};
  std::vector<VerdictLaunch> launches(1);
  launches[0].kernel = "k<scalar_t, 4>";
  launches[0].threads = threads;
  launches[0].shared = dynamic;
  SetOccupancy(device, &launches);
  return launches[0].occupancy;
}

TEST(Occupancy, FollowsFromWhatRunsOutFirst) {
  EXPECT_EQ(Of(32, 0, 256), 1.0);
  // Registers: 64 × 32 × 8 warps per block, so four blocks fit.
  EXPECT_EQ(Of(64, 0, 256), 0.5);
  // 255 registers: a warp takes 8,192 and a block of 8 warps all 65,536.
  EXPECT_EQ(Of(255, 0, 256), 8.0 / 64);
  // Blocks: 32 of one warp each.
  EXPECT_EQ(Of(16, 0, 32), 0.5);
  // Threads: two blocks of 31 warps each.
  EXPECT_EQ(Of(16, 0, 992), 62.0 / 64);
  // Shared memory: each block takes 48 KiB and 1 KiB reserved by the system, so three fit into 164
  // KiB.
  EXPECT_EQ(Of(16, 48 << 10, 256), 24.0 / 64);
  EXPECT_EQ(Of(16, 16 << 10, 256, 32 << 10), 24.0 / 64);
  // A block that needs too much shared memory cannot run.
  EXPECT_EQ(Of(16, 0, 256, 200 << 10), 0.0);
}

TEST(Occupancy, IsUnknownForAKernelThatNobodyCompiled) {
  std::vector<VerdictLaunch> launches(1);
  launches[0].kernel = "other";
  launches[0].threads = 64;
  VerdictDevice device;
  device.kernels = {{"k", 16, 0, 0, 0}};
  SetOccupancy(device, &launches);
  EXPECT_EQ(launches[0].occupancy, std::nullopt);
}

TEST(Occupancy, ABlockThatDoesNotFitIsRefused) {
  VerdictDevice device;
  device.kernels = {{"k<float>", 64, 0, 0, 0}, {"k<double>", 72, 0, 0, 0}, {"bound", 16, 0, 0, 0}};
  const std::map<std::size_t, std::int64_t> bounds = {{2, 256}};
  const auto refusal = [&](const std::string& kernel, std::int64_t threads) {
    VerdictLaunch launch;
    launch.kernel = kernel;
    launch.threads = 32;  // Of its first launch; what counts is the largest.
    launch.most_threads = threads;
    return RefusalOfLaunch(device, bounds, launch).value_or("");
  };
  // 64 × 1,024 registers fit; 72 × 1,024 do not, but nobody knows that this is what was launched.
  EXPECT_EQ(refusal("k<scalar_t>", 1024), "");
  device.kernels[0].registers = 65;
  EXPECT_EQ(refusal("k<scalar_t>", 1024),
            "1024 threads a block with 72 registers each; a multiprocessor has 65536");
  EXPECT_EQ(refusal("k<scalar_t>", 768), "");
  EXPECT_EQ(refusal("ours::bound", 256), "");
  EXPECT_EQ(refusal("ours::bound", 257), "257 threads a block; its __launch_bounds__ allow 256");
  EXPECT_EQ(refusal("other", 1024), "");
  device.unchecked = {"bound: it takes at::Half"};
  EXPECT_EQ(refusal("bound", 512), "");
}

TEST(Occupancy, TakesTheInstantiationWithMostRegisters) {
  VerdictDevice device;
  device.kernels = {{"k<float>", 32, 0, 0, 0}, {"k<double>", 64, 0, 0, 0}};
  std::vector<VerdictLaunch> launches(1);
  launches[0].kernel = "k<scalar_t>";
  launches[0].threads = 256;
  SetOccupancy(device, &launches);
  EXPECT_EQ(launches[0].occupancy, 0.5);
  launches[0].kernel = "k< float >";  // As the text of the launch writes it.
  SetOccupancy(device, &launches);
  EXPECT_EQ(launches[0].occupancy, 1.0);
}

TEST(Occupancy, ALaunchHasTheBoundsOfTheInstantiationThatItNames) {
  VerdictDevice device;
  device.kernels = {{"ours::k<128, float>", 16, 0, 0, 0}, {"ours::k<512, float>", 16, 0, 0, 0}};
  const std::map<std::size_t, std::int64_t> bounds = {{0, 128}, {1, 512}};
  VerdictLaunch launch;
  launch.most_threads = 256;
  launch.kernel = "ours::k<128,float>";
  EXPECT_TRUE(RefusalOfLaunch(device, bounds, launch).has_value());
  launch.kernel = "k<512, float>";
  EXPECT_FALSE(RefusalOfLaunch(device, bounds, launch).has_value());
  launch.kernel = "k<kThreads, scalar_t>";
  EXPECT_FALSE(RefusalOfLaunch(device, bounds, launch).has_value());
  launch.most_threads = 1024;
  EXPECT_TRUE(RefusalOfLaunch(device, bounds, launch).has_value());
}

TEST(Occupancy, KernelsOfTwoExtensionsMayHaveOneName) {
  VerdictDevice device;
  device.kernels = {{"k", 16, 0, 0, 0}, {"k", 16, 0, 0, 0}};
  VerdictLaunch launch;
  launch.kernel = "k";
  launch.most_threads = 128;
  EXPECT_FALSE(RefusalOfLaunch(device, {{0, 64}, {1, 256}}, launch).has_value());
  EXPECT_TRUE(RefusalOfLaunch(device, {{0, 64}, {1, 96}}, launch).has_value());
}

}  // namespace
}  // namespace kernelmill
