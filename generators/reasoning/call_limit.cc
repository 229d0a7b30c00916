#include "generators/reasoning/call_limit.h"

#include <algorithm>
#include <regex>

#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/reduced_rows.h"
#include "generators/reasoning/run_figures.h"
#include "generators/wording/operator_words.h"

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

bool HasLoopsOfTheDefinition(const DesignedKernel& plan) {
  return plan.strategy == "loops_of_the_definition" || plan.strategy == "thread_a_result";
}

std::optional<NarrowResult> NarrowResultOf(const Annotation& facts, const DesignedKernel& plan) {
  static const std::regex kTile(R"(a (\d+) x (\d+) tile)");
  constexpr std::int64_t kFew = 8;  // Without a tile.
  const OperatorRow* const row = OperatorCalled(plan.head);
  if (row == nullptr) return std::nullopt;
  std::smatch tile;
  const bool tiled = std::regex_search(plan.mapping, tile, kTile);
  if (!tiled && !HasLoopsOfTheDefinition(plan)) return std::nullopt;
  const TensorFacts* result = nullptr;
  for (const OperatorCall& call : facts.operators) {
    if (OperatorCalled(call.name) != row) continue;
    if (result != nullptr || call.outputs.size() != 1) return std::nullopt;
    result = &call.outputs[0];
  }
  if (result == nullptr || result->shape.size() < 2) return std::nullopt;
  NarrowResult narrow;
  narrow.channels = row->family == OperatorFamily::kConvolution ||
                    row->family == OperatorFamily::kTransposedConvolution;
  if (!narrow.channels && row->family != OperatorFamily::kMatmul) return std::nullopt;
  // The rows of a convolution's tile are channels, and its columns positions.
  narrow.size = narrow.channels ? result->shape[1] : result->shape.back();
  if (tiled) narrow.side = std::stoll(tile[narrow.channels ? 1 : 2].str());
  if (tiled ? 2 * narrow.size > narrow.side : narrow.size > kFew) return std::nullopt;
  return narrow;
}

std::int64_t BlocksOf(const Verdict& verdict, const VerdictLaunch& launch) {
  if (!verdict.sizes.empty() || !launch.counts || launch.count <= 0) return 0;
  return launch.counts->blocks / launch.count;
}

CallLimit LimitOf(const Candidate& answer, const Annotation* facts, const KnownDevice& device) {
  const std::int64_t flops = PlannedFlops(answer), bytes = PlannedBytes(answer);
  CallLimit found;
  found.launches = std::max<std::int64_t>(1, LaunchesOf(answer));
  const double balance = static_cast<double>(flops) / device.Ridge() / static_cast<double>(bytes);
  found.arithmetic = balance > 1;
  found.balanced = balance > 1 / kAboutEqual && balance < kAboutEqual;
  found.poor_reuse =
      std::any_of(answer.kernels.begin(), answer.kernels.end(), [&](const DesignedKernel& plan) {
        const bool one_result = plan.strategy == "shared_tile" || HasLoopsOfTheDefinition(plan);
        // A result that fits into one row of tiles has its larger operand loaded once.
        return one_result && !(facts != nullptr && NarrowResultOf(*facts, plan));
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
  const CountedWork counted = CountedWorkOf(answer.verdict);
  // The rates are peaks, so that only a clear difference decides.
  constexpr double kClearly = 1.5;
  const bool own_sizes = answer.verdict.sizes.empty();
  if (counted.all_counted) {
    found.shared = SharedTime(counted.shared_passes, device);
    if (own_sizes) found.cache = CacheTime(counted.sectors, device);
  }
  // At smaller sizes the passes are compared with the sectors of the same run.
  const double sectors = LeastTime(0, counted.sectors * kSectorBytes, device);
  found.of_smaller_run =
      !own_sizes && !found.arithmetic && sectors > 0 && found.shared > kClearly * sectors;
  const double levels = own_sizes              ? std::max(found.cache, found.shared)
                        : found.of_smaller_run ? time * found.shared / sectors
                                               : 0;
  found.by_level = levels > kClearly * time;
  const double work = std::max({time, found.poor_reuse ? kPoorReuse * arithmetic : 0, levels});
  const bool short_alone = work * std::max(1.0, slower / kMostShares) < kShortLaunch * launches;
  found.limit = short_alone  ? Limit::kLaunch
                : slower > 1 ? Limit::kFewBlocks
                : std::max(time, found.by_level ? levels : 0) < kLongLaunch * launches &&
                        !(found.by_level && found.of_smaller_run)
                    ? Limit::kLaunchAndWork
                : found.by_level   ? found.shared > found.cache ? Limit::kShared : Limit::kCache
                : found.arithmetic ? Limit::kCompute
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
