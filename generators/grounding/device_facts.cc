// The numbers that follow from the counters and the grid of a candidate on the known device: a part
// of SupportedFacts.
#include <algorithm>

#include "generators/grounding/supported_facts.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"

namespace kernelmill {

// How the grid fills the device, and how stores fill the sectors of the outputs.
void SupportedFacts::AddDevice(const KnownTask& known, const Candidate& candidate) {
  const KnownDevice& device = KnownDeviceOf(candidate.backend);
  if (PlannedBytes(candidate) > 0) Add("launches", LimitOf(candidate, nullptr).launches);
  const CountedWork work = CountedWorkOf(candidate.verdict);
  const double shared = SharedTime(work.shared_passes, device);
  for (const double time : {shared, CacheTime(work.sectors, device)}) {
    by_unit_["µs"].insert(MicrosecondsText(time));
  }
  by_unit_["µs"].insert(LeastMicroseconds(0, work.sectors * kSectorBytes, device));
  const double moved = LeastTime(0, work.sectors * kSectorBytes, device);
  if (moved > 0) others_.insert(Decimal(shared / moved));
  others_.insert(std::to_string(work.shared_passes));
  for (const VerdictLaunch& launch : candidate.verdict.launches) {
    if (!launch.counts || work.sectors <= 0) continue;
    for (const std::int64_t part :
         {launch.counts->global_load_sectors, launch.counts->global_store_sectors}) {
      const auto share = static_cast<double>(part) / static_cast<double>(work.sectors);
      by_unit_["%"].insert(std::to_string(static_cast<int>(100 * share + 0.5)));
    }
  }
  others_.merge(NumberTextsIn(device.cache_rate));
  for (const DesignedKernel& plan : candidate.kernels) {
    const auto narrow = NarrowResultOf(known.facts, plan);
    if (narrow) others_.insert(std::to_string(narrow->side - narrow->size));
  }
  for (const VerdictLaunch& launch : candidate.verdict.launches) {
    const Occupancy occupancy = OccupancyOf(candidate, launch);
    Add("blocks", occupancy.blocks);
    by_unit_["blocks"].insert(Decimal(occupancy.per_multiprocessor));
    others_.insert(std::to_string(occupancy.warps));
    others_.insert(std::to_string(device.multiprocessors - occupancy.blocks));
    if (!launch.counts || launch.counts->global_store_requests == 0) continue;
    const auto requests = static_cast<double>(launch.counts->global_store_requests);
    for (const std::int64_t bytes : output_bytes_) {
      const std::int64_t filled = (bytes + kSectorBytes - 1) / kSectorBytes;
      const double of_request = static_cast<double>(bytes) / requests;
      by_unit_["bytes"].insert(Short(of_request));
      others_.insert(Short(of_request / kSectorBytes));
      others_.insert(std::to_string(filled));
      const double times = static_cast<double>(launch.counts->global_store_sectors) /
                           static_cast<double>(std::max<std::int64_t>(1, filled));
      others_.insert({Decimal(times), Short(times)});
    }
  }
}

}  // namespace kernelmill
