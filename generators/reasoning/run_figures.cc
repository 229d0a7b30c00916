#include "generators/reasoning/run_figures.h"

#include <algorithm>
#include <string_view>

#include "corpora/kernel_backend.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

// The name without template arguments: "scale" of "scale<float, 4>".
std::string_view PlainName(std::string_view kernel) { return kernel.substr(0, kernel.find('<')); }

// The blocks of the launch that has most of them at the task's own sizes; 0 if they are not known.
std::int64_t MostBlocks(const Verdict& verdict) {
  std::int64_t most = 0;
  for (const VerdictLaunch& launch : verdict.launches) {
    most = std::max(most, BlocksOf(verdict, launch));
  }
  return most;
}

// Low counters of a launch that leaves most of the device idle say nothing about its speed.
bool LeavesDeviceIdle(const Candidate& after, const Candidate& before) {
  constexpr std::int64_t kFewestThreads = 8;
  const std::int64_t is = MostBlocks(after.verdict), was = MostBlocks(before.verdict);
  const bool own_sizes = after.verdict.sizes.empty() && before.verdict.sizes.empty();
  const bool fills =
      own_sizes && is >= KnownDeviceOf(kCudaBackend.name).multiprocessors;  // MUSA's are not known.
  if (IsSplit(before) && !IsSplit(after) && !fills) return true;
  if (own_sizes && is < was && !fills) return true;
  return CountedWorkOf(after.verdict).threads <
         CountedWorkOf(before.verdict).threads / kFewestThreads;
}

}  // namespace

const VerdictDeviceKernel* DeviceFiguresOf(const Verdict& verdict, const std::string& kernel) {
  if (verdict.device.renamed) return nullptr;
  for (const VerdictDeviceKernel& item : verdict.device.kernels) {
    if (PlainName(item.kernel) == PlainName(kernel)) return &item;
  }
  return nullptr;
}

CountedWork CountedWorkOf(const Verdict& verdict) {
  CountedWork work;
  work.all_counted = !verdict.launches.empty();
  for (const VerdictLaunch& launch : verdict.launches) {
    work.launches += launch.count;
    if (!launch.counts) {
      work.all_counted = false;
      continue;
    }
    const VerdictCounts& counts = *launch.counts;
    work.threads += counts.threads;
    work.blocks += counts.blocks;
    work.requests += counts.GlobalRequests();
    work.sectors += counts.GlobalSectors();
    work.bank_conflicts += counts.bank_conflicts;
    work.shared_passes += counts.SharedRequests() + counts.bank_conflicts;
    work.atomics += counts.global_atomics + counts.shared_atomics;
  }
  return work;
}

std::vector<const VerdictLaunch*> CountedLaunches(const Verdict& verdict) {
  std::vector<const VerdictLaunch*> launches;
  for (const VerdictLaunch& launch : verdict.launches) {
    if (launch.counts) launches.push_back(&launch);
  }
  std::stable_sort(launches.begin(), launches.end(), [](const auto* a, const auto* b) {
    return a->counts->GlobalSectors() > b->counts->GlobalSectors();
  });
  return launches;
}

std::int64_t LaunchesOf(const Candidate& answer) {
  const std::int64_t counted = CountedWorkOf(answer.verdict).launches;
  if (counted > 0) return counted;
  std::int64_t planned = 0;
  for (const DesignedKernel& plan : answer.kernels) {
    planned += static_cast<std::int64_t>(plan.kernels.size());
  }
  return planned;
}

bool IsSplit(const DesignedKernel& plan) {
  return plan.strategy.starts_with("blocks_a_") || plan.strategy.starts_with("split_");
}

bool IsSplit(const Candidate& answer) {
  return std::any_of(answer.kernels.begin(), answer.kernels.end(),
                     [](const DesignedKernel& plan) { return IsSplit(plan); });
}

Gain GainOf(const Candidate& after, const Candidate& before) {
  const CountedWork is = CountedWorkOf(after.verdict), was = CountedWorkOf(before.verdict);
  if (!is.all_counted || !was.all_counted) return Gain::kNone;
  const bool estimated = after.estimated_speed > 0 && before.estimated_speed > 0;
  if (estimated && after.estimated_speed < before.estimated_speed) return Gain::kNone;
  if (LeavesDeviceIdle(after, before)) return Gain::kNone;
  const auto fewer = [](std::int64_t now, std::int64_t then, double part) {
    return then > 0 && static_cast<double>(then - now) >= part * static_cast<double>(then);
  };
  // Where launches limit the call, only much less traffic is worth a change, for larger inputs.
  const double clearly =
      PlannedBytes(before) > 0 && LimitOf(before, nullptr).limit == Limit::kLaunch ? 0.4 : 0.25;
  constexpr double kSomewhat = 0.1, kFaster = 1.25, kMicrosecond = 0.5;
  const bool no_worse = is.launches <= was.launches && is.sectors <= was.sectors &&
                        is.bank_conflicts <= was.bank_conflicts && is.atomics <= was.atomics;
  if (no_worse && fewer(is.launches, was.launches, kSomewhat)) return Gain::kLaunches;
  const double saved =
      LeastTime(0, (was.sectors - is.sectors) * kSectorBytes, KnownDeviceOf(after.backend));
  if (no_worse && (fewer(is.sectors, was.sectors, clearly) ||
                   (fewer(is.sectors, was.sectors, kSomewhat) && saved >= kMicrosecond))) {
    return Gain::kSectors;
  }
  const bool faster = estimated && after.estimated_speed >= kFaster * before.estimated_speed;
  const bool explained = (is.sectors <= was.sectors && is.launches <= was.launches) ||
                         (IsSplit(after) && !IsSplit(before));
  return faster && explained ? Gain::kSpeed : Gain::kNone;
}

}  // namespace kernelmill
