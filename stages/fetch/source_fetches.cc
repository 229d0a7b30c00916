#include "stages/fetch/source_fetches.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "manifests/printable.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/fetch/commit_operation.h"
#include "stages/fetch/host_pauses.h"

namespace kernelmill {
namespace {

// Whether the failure is one of this source, and says nothing about the others.
bool ConcernsTheSource(ErrorCode code) {
  return code == ErrorCode::kNotFound || code == ErrorCode::kUnreachable ||
         code == ErrorCode::kConfig || code == ErrorCode::kUsage;
}

void Tell(const ResolvedSource& source, std::size_t count, std::size_t all) {
  Say("fetch: " + PrintableLine(source.url) +
      (source.trouble.empty() ? " at " + source.commit.substr(0, 12)
                              : ": " + PrintableLine(source.trouble)) +
      (all > 1 ? " (" + std::to_string(count) + " of " + std::to_string(all) + ")" : ""));
}

// The error of all that failed.
Status FirstError(const std::vector<Status>& failures) {
  std::vector<const Status*> failed;
  for (const Status& status : failures) {
    if (!status.ok()) failed.push_back(&status);
  }
  if (failed.empty()) return Status::Ok();
  const auto ends_all = std::find_if(failed.begin(), failed.end(), [](const Status* status) {
    return !ConcernsTheSource(status->code());
  });
  if (ends_all != failed.end()) return **ends_all;
  for (std::size_t i = 1; i < failed.size(); ++i) Warn("fetch: " + failed[i]->message());
  if (failed.size() == 1) return *failed[0];
  // What has to be corrected counts more than what may pass by itself.
  const auto permanent = std::find_if(failed.begin(), failed.end(), [](const Status* status) {
    return status->code() != ErrorCode::kUnreachable;
  });
  return Status(permanent == failed.end() ? ErrorCode::kUnreachable : (*permanent)->code(),
                failed[0]->message() + " (" + std::to_string(failed.size()) + " of " +
                    std::to_string(failures.size()) + " sources failed)");
}

}  // namespace

Result<std::vector<ResolvedSource>> ResolveAll(const std::vector<SourceSpec>& specs,
                                               const FetchOptions& options, int at_once,
                                               const std::string& child_program) {
  std::vector<ResolvedSource> found(specs.size());
  std::vector<Status> failures(specs.size());
  HostPauses pauses;
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> stopped = false;
  const auto work = [&] {
    UntrustedChild child(child_program);
    for (std::size_t at; !stopped && (at = next++) < specs.size();) {
      if (Interrupted()) {
        failures[at] = InterruptedStatus();
        return;
      }
      Result<ResolvedSource> source = Resolve(specs[at], options, ReadCommitsIn(child), &pauses);
      if (source.ok()) {
        Tell(*source, ++done, specs.size());
        found[at] = *std::move(source);
      } else {
        failures[at] = source.status();
        stopped = stopped || !ConcernsTheSource(source.status().code());
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t count = std::min<std::size_t>(at_once, specs.size());
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
    work();
  }
  KM_RETURN_IF_ERROR(FirstError(failures));
  return found;
}

}  // namespace kernelmill
