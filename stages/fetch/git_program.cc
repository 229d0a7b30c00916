#include "stages/fetch/git_program.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <initializer_list>

#include "stages/engine/interrupt.h"
#include "stages/fetch/git_process.h"

namespace kernelmill {
namespace {

constexpr int kAttempts = 3;
// The most attempts with a remote that answers but whose repository Git refuses.
constexpr int kMostRefusals = 2;
// The exit code of `git ls-remote --exit-code` for a remote that answers and has no references.
constexpr int kNoReferences = 2;

bool SaysOneOf(const GitEnd& end, std::initializer_list<std::string_view> all) {
  return std::any_of(all.begin(), all.end(),
                     [&](std::string_view words) { return end.Says(words); });
}

// A transfer slower than 1 kB/s for a minute has stalled. file:// is allowed because only the
// user's configuration names addresses.
constexpr const char* kSettings[] = {"core.hooksPath=/dev/null", "core.fsmonitor=false",
                                     "protocol.ext.allow=never", "protocol.file.allow=always",
                                     "http.lowSpeedLimit=1000",  "http.lowSpeedTime=60"};

Result<GitEnd> RunWithSettings(std::vector<std::string> arguments) {
  std::vector<std::string> all;
  for (const char* setting : kSettings) all.insert(all.end(), {"-c", setting});
  all.insert(all.end(), arguments.begin(), arguments.end());
  return RunGit(std::move(all));
}

Result<GitEnd> Fetch(const std::string& url, const std::string& revision,
                     const std::string& git_dir) {
  return RunWithSettings({"-C", git_dir, "fetch", "--quiet", "--depth=1", "--no-tags",
                          "--no-recurse-submodules", "--", url,
                          revision.empty() ? "HEAD" : revision});
}

Result<GitEnd> ListReferences(const std::string& url) {
  return RunWithSettings({"ls-remote", "--quiet", "--exit-code", "--", url});
}

// Git's messages in one line.
std::string SaidBy(const GitEnd& end) {
  std::string text = "git says: ";
  for (char c : end.messages) {
    if (c != '\n') {
      text += c;
    } else if (!text.ends_with("; ")) {
      text += "; ";
    }
  }
  return text;
}

// The error when the failure is this machine's and not the remote's; otherwise ok.
Status LocalProblem(const GitEnd& end) {
  const std::string message = SaidBy(end);
  if (SaysOneOf(end, {"No space left on device", "Disk quota exceeded"})) {
    return Status(ErrorCode::kDiskFull,
                  message + "; free some room and run the same command again");
  }
  if (end.exit_code < 0 ||
      SaysOneOf(end,
                {"Read-only file system", "Permission denied", "File exists", "Too many open files",
                 "Out of memory", "Cannot allocate memory", "died of signal 9", "cannot create"})) {
    return Status(ErrorCode::kIo, message);
  }
  return Status::Ok();
}

Status Unreachable(const GitEnd& end) {
  return Status(ErrorCode::kUnreachable,
                (end.late ? "git took too long" : SaidBy(end)) +
                    "; check the address, the network and your credentials, and run the same "
                    "command again; fetched data is kept");
}

Status Unusable(std::string what) { return Status(ErrorCode::kCorrupt, std::move(what)); }

// Finds out why a fetch failed that ended by itself. Git's messages are not conclusive, and a part
// of them comes from the remote. Whether the remote answers another request distinguishes a network
// problem from a bad repository.
Status Diagnose(const GitEnd& fetch, const std::string& url, const std::string& revision) {
  if (const Status ours = LocalProblem(fetch); !ours.ok() && !fetch.Says("publickey")) {
    return ours;
  }
  KM_ASSIGN(const GitEnd listed, ListReferences(url));
  if (listed.exit_code == kNoReferences) return Unusable("its remote is empty");
  if (!listed.ok()) {
    if (listed.Says("protocol error")) return Unusable("its remote does not speak as Git does");
    const bool missing = listed.messages.find("not found") != std::string::npos ||
                         listed.messages.find("no such repository") != std::string::npos ||
                         listed.Says("does not appear to be a git repository");
    if (!missing) return Unreachable(listed);
    return Status(ErrorCode::kNotFound, SaidBy(listed));
  }
  if (fetch.Says("couldn't find remote ref")) {
    if (revision.empty()) return Unusable("the HEAD of its remote names no commit");
    return Status(ErrorCode::kNotFound, SaidBy(fetch));
  }
  // The messages of curl, which git uses for HTTP, about broken connections.
  if (SaysOneOf(fetch, {"curl ", "Could not resolve", "Failed to connect", "Connection reset",
                        "Connection timed out", "Network is unreachable", "No route to host"})) {
    return Unreachable(fetch);
  }
  return Unusable("its remote sends what Git refuses");
}

}  // namespace

Status FetchBare(const std::string& url, const std::string& revision, const std::string& git_dir) {
  std::error_code error;
  std::filesystem::create_directories(git_dir, error);
  if (error) return Status(ErrorCode::kIo, "cannot make " + git_dir + ": " + error.message());
  KM_ASSIGN(const GitEnd made, RunGit({"init", "--quiet", "--bare", "--template=", git_dir}));
  if (!made.ok()) return Status(ErrorCode::kIo, SaidBy(made));
  Status status;
  int refusals = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0 && status.code() == ErrorCode::kUnreachable) {
      if (Pause(std::chrono::seconds(2 * attempt)) == Waited::kInterrupted) {
        return InterruptedStatus();
      }
    }
    KM_ASSIGN(const GitEnd fetch, Fetch(url, revision, git_dir));
    if (fetch.ok()) return Status::Ok();
    if (fetch.late) {
      status = Unreachable(fetch);
      continue;
    }
    status = Diagnose(fetch, url, revision);
    refusals += status.code() == ErrorCode::kCorrupt;
    if (refusals == kMostRefusals ||
        (status.code() != ErrorCode::kUnreachable && status.code() != ErrorCode::kCorrupt)) {
      return status;
    }
  }
  return status;
}

}  // namespace kernelmill
