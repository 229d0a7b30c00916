#include "stages/fetch/git_program.h"

#include <filesystem>
#include <utility>

#include "stages/fetch/source_spec.h"

namespace kernelmill {
namespace {

// A transfer slower than 1 kB/s for a minute has stalled. file:// is allowed because only the
// user's configuration names addresses. Packs are never unpacked, so that a commit is there with
// all that was fetched with it, or not at all, whenever git is killed. Nothing removes an earlier
// commit, at which another run may be at work.
constexpr const char* kSettings[] = {"core.hooksPath=/dev/null", "core.fsmonitor=false",
                                     "protocol.ext.allow=never", "protocol.file.allow=always",
                                     "http.lowSpeedLimit=1000",  "http.lowSpeedTime=60",
                                     "fetch.unpackLimit=1",      "gc.auto=0",
                                     "maintenance.auto=false"};

Result<GitEnd> RunWithSettings(std::vector<std::string> arguments) {
  std::vector<std::string> all;
  for (const char* setting : kSettings) all.insert(all.end(), {"-c", setting});
  all.insert(all.end(), arguments.begin(), arguments.end());
  return RunGit(std::move(all));
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

Status MakeBareRepository(const std::string& git_dir) {
  std::error_code error;
  std::filesystem::create_directories(git_dir, error);
  if (error) return Status(ErrorCode::kIo, "cannot make " + git_dir + ": " + error.message());
  KM_ASSIGN(const GitEnd made, RunGit({"init", "--quiet", "--bare", "--template=", git_dir}));
  return made.ok() ? Status::Ok() : Status(ErrorCode::kIo, SaidBy(made, ""));
}

// Git notes the filter of a fetch under the remote's name, which is why it gets one here.
Result<GitEnd> FetchOnce(const RemoteFetch& fetch) {
  const std::string what = fetch.revision.empty() ? "HEAD" : fetch.revision;
  std::vector<std::string> arguments = {"-c",
                                        "remote.origin.url=" + fetch.url,
                                        "-C",
                                        fetch.git_dir,
                                        "fetch",
                                        "--quiet",
                                        "--no-tags",
                                        "--no-recurse-submodules",
                                        "--no-write-fetch-head"};
  arguments.insert(arguments.end(), fetch.extent.begin(), fetch.extent.end());
  arguments.insert(arguments.end(), {"--", "origin", "+" + what + ":" + kFetchedReference});
  return RunWithSettings(std::move(arguments));
}

Result<GitEnd> ListReferences(const std::string& url) {
  return RunWithSettings({"ls-remote", "--quiet", "--exit-code", "--", url});
}

std::string SaidBy(const GitEnd& end, const std::string& url) {
  std::string text = "git says: ";
  for (char c : end.messages) {
    if (c != '\n') {
      text += c;
    } else if (!text.ends_with("; ")) {
      text += "; ";
    }
  }
  const std::string shown = WithoutCredentials(url);
  if (shown == url) return text;
  const std::size_t start = url.find("://") + 3;
  const std::string credentials = url.substr(start, url.size() - shown.size());
  return Replaced(Replaced(std::move(text), url, shown), credentials, "");
}

}  // namespace kernelmill
