#include "stages/fetch/remote_fetch.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "manifests/printable.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/engine/retry_wait.h"
#include "stages/fetch/fetch_failure.h"
#include "stages/fetch/source_spec.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 5;
// The most tries with a remote that answers but whose repository Git refuses.
constexpr int kMostRefusals = 2;
constexpr std::chrono::seconds kFirstWait{1};
// A run does not wait longer for one server.
constexpr std::chrono::minutes kLongestWait{10};

// What a git that was killed leaves: locks, and packs that are not complete.
void RemoveLeftovers(const fs::path& git_dir) {
  std::error_code error;
  std::vector<fs::path> left;
  const auto look = [&](const fs::path& folder) {
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.ends_with(".lock") || name.starts_with("tmp_")) left.push_back(entry->path());
    }
    error.clear();
  };
  look(git_dir);
  look(git_dir / "objects/pack");
  look((git_dir / kFetchedReference).parent_path());
  for (const fs::path& path : left) fs::remove(path, error);
}

std::string InSeconds(std::chrono::milliseconds time) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(time).count()) + " s";
}

}  // namespace

Status FetchRemote(const RemoteFetch& fetch, HostPauses& pauses) {
  KM_RETURN_IF_ERROR(MakeBareRepository(fetch.git_dir));
  RemoveLeftovers(fetch.git_dir);
  RetryWait waits(kFirstWait, std::hash<std::string>()(fetch.url));
  Status status;
  int refusals = 0;
  for (int tries = 1; tries <= kTries; ++tries) {
    KM_RETURN_IF_ERROR(pauses.Await(fetch.url));
    KM_ASSIGN(const GitEnd end, FetchOnce(fetch));
    if (end.ok()) return Status::Ok();
    KM_ASSIGN(const FetchFailure failure, ExplainFailure(end, fetch));
    status = failure.status;
    const bool refused = status.code() == ErrorCode::kCorrupt;
    if (refused && ++refusals < kMostRefusals) continue;
    if (status.code() != ErrorCode::kUnreachable || tries == kTries) return status;
    const std::chrono::milliseconds wait = std::max<std::chrono::milliseconds>(
        waits.After(tries), failure.wait.value_or(std::chrono::seconds(0)));
    if (wait > kLongestWait) {
      return Status(status.code(),
                    "the server asks to wait for " + InSeconds(wait) + ": " + status.message());
    }
    Say("fetch: " + PrintableLine(WithoutCredentials(fetch.url)) + ": " +
        PrintableLine(status.message().substr(0, status.message().find(';'))) + "; again in " +
        InSeconds(wait));
    if (failure.wait) {
      pauses.Extend(fetch.url, HostPauses::Clock::now() + wait);
    } else if (Pause(wait) == Waited::kInterrupted) {
      return InterruptedStatus();
    }
  }
  return status;
}

}  // namespace kernelmill
