#include "generators/reasoning/run_figures.h"

#include <string_view>

namespace kernelmill {
namespace {

// The name without template arguments: "scale" of "scale<float, 4>".
std::string_view PlainName(std::string_view kernel) { return kernel.substr(0, kernel.find('<')); }

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
    work.requests += counts.global_load_requests + counts.global_store_requests;
    work.sectors += counts.global_load_sectors + counts.global_store_sectors;
    work.bank_conflicts += counts.bank_conflicts;
    work.atomics += counts.global_atomics + counts.shared_atomics;
  }
  return work;
}

bool IsStrictlyBetter(const CountedWork& after, const CountedWork& before) {
  constexpr std::int64_t kFewestThreads = 8;
  const auto fewer = [](std::int64_t is, std::int64_t was) { return was - is >= (was + 9) / 10; };
  const bool no_worse = after.launches <= before.launches && after.requests <= before.requests &&
                        after.sectors <= before.sectors &&
                        after.bank_conflicts <= before.bank_conflicts &&
                        after.atomics <= before.atomics;
  const bool much_less =
      (before.sectors > 0 && fewer(after.sectors, before.sectors)) ||
      fewer(after.launches, before.launches) ||
      (before.requests > 0 && fewer(after.requests, before.requests)) ||
      (before.bank_conflicts > 0 && fewer(after.bank_conflicts, before.bank_conflicts));
  return after.all_counted && before.all_counted && no_worse && much_less &&
         after.threads >= before.threads / kFewestThreads;
}

}  // namespace kernelmill
