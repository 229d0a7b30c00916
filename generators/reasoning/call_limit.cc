#include "generators/reasoning/call_limit.h"

#include <algorithm>

#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/reduced_rows.h"
#include "generators/reasoning/run_figures.h"

namespace kernelmill {
namespace {

// A launch takes between these times on current devices.
constexpr double kShortLaunch = 2, kLongLaunch = 5;
// A multiprocessor can draw a few times its share of the bandwidth while others are idle.
constexpr double kMostShares = 4;
constexpr double kAboutEqual = 1.1;
// With fewer blocks every device with a data sheet has idle multiprocessors.
constexpr std::int64_t kFewOnAnyDevice = 16;
constexpr std::int64_t kWarp = 32, kWarpsOfMultiprocessor = 64;  // On sm_80.

}  // namespace

std::int64_t BlocksOf(const Verdict& verdict, const VerdictLaunch& launch) {
  if (!verdict.sizes.empty() || !launch.counts || launch.count <= 0) return 0;
  return launch.counts->blocks / launch.count;
}

CallLimit LimitOf(const Candidate& answer, const Annotation* facts) {
  const KnownDevice& device = KnownDeviceOf(answer.backend);
  const std::int64_t flops = PlannedFlops(answer), bytes = PlannedBytes(answer);
  CallLimit found;
  found.launches = std::max<std::int64_t>(1, LaunchesOf(answer));
  const double balance = static_cast<double>(flops) / device.Ridge() / static_cast<double>(bytes);
  found.arithmetic = balance > 1;
  found.balanced = balance > 1 / kAboutEqual && balance < kAboutEqual;
  found.poor_reuse =
      std::any_of(answer.kernels.begin(), answer.kernels.end(), [](const DesignedKernel& plan) {
        return plan.strategy == "shared_tile" || plan.strategy == "loops_of_the_definition";
      });
  const std::vector<const VerdictLaunch*> launches_by_traffic = CountedLaunches(answer.verdict);
  double slower = 1;
  if (!launches_by_traffic.empty()) {
    const VerdictLaunch& most = *launches_by_traffic.front();
    found.kernel = most.kernel;
    found.blocks = BlocksOf(answer.verdict, most);
  }
  const std::vector<DesignedKernel>& plans = answer.kernels;
  if (found.blocks == 0 && facts != nullptr && plans.size() == 1 && plans[0].kernels.size() == 1) {
    found.kernel = plans[0].kernels[0];
    found.blocks = BlocksOfReduction(*facts, plans[0]);
  }
  const std::int64_t enough = device.multiprocessors > 0 ? device.multiprocessors : kFewOnAnyDevice;
  if (found.blocks > 0 && found.blocks < enough) {
    slower = static_cast<double>(enough) / static_cast<double>(found.blocks);
  }
  const double time = LeastTime(flops, bytes, device);
  const auto launches = static_cast<double>(found.launches);
  // With one result per thread, loads keep the arithmetic below a part of its peak rate.
  constexpr double kPoorReuse = 4;
  const double arithmetic = LeastTime(flops, 0, device);
  const double work = found.poor_reuse ? std::max(time, kPoorReuse * arithmetic) : time;
  const bool short_alone = work * std::max(1.0, slower / kMostShares) < kShortLaunch * launches;
  found.limit = short_alone                     ? Limit::kLaunch
                : slower > 1                    ? Limit::kFewBlocks
                : time < kLongLaunch * launches ? Limit::kLaunchAndWork
                : found.arithmetic              ? Limit::kCompute
                                                : Limit::kMemory;
  return found;
}

Occupancy OccupancyOf(const Candidate& answer, const VerdictLaunch& launch) {
  const KnownDevice& device = KnownDeviceOf(answer.backend);
  Occupancy found;
  found.warps = (launch.threads + kWarp - 1) / kWarp;
  found.resident =
      static_cast<std::int64_t>(launch.occupancy.value_or(0) * kWarpsOfMultiprocessor + 0.5);
  found.blocks = BlocksOf(answer.verdict, launch);
  if (found.blocks == 0 || device.multiprocessors == 0) return found;
  found.per_multiprocessor =
      static_cast<double>(found.blocks) / static_cast<double>(device.multiprocessors);
  found.residency = found.blocks < device.multiprocessors ? Residency::kIdle
                    : found.per_multiprocessor * static_cast<double>(found.warps) <
                            static_cast<double>(found.resident)
                        ? Residency::kPartly
                        : Residency::kFull;
  return found;
}

OccupancyJudgement JudgementOf(const VerdictLaunch& launch, const Occupancy& occupancy) {
  if (occupancy.residency == Residency::kIdle) return OccupancyJudgement::kIdle;
  if (occupancy.residency == Residency::kPartly) return OccupancyJudgement::kPartly;
  if (*launch.occupancy < kLowOccupancy) return OccupancyJudgement::kLow;
  return occupancy.residency == Residency::kFull ? OccupancyJudgement::kFull
                                                 : OccupancyJudgement::kNothing;
}

}  // namespace kernelmill
