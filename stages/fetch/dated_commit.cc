#include "stages/fetch/dated_commit.h"

#include <filesystem>

#include "stages/fetch/remote_fetch.h"

namespace kernelmill {
namespace {

Result<FoundCommit> FetchAndFind(const RemoteFetch& fetch, std::int64_t end,
                                 const CommitReader& read_commit, HostPauses& pauses) {
  KM_RETURN_IF_ERROR(FetchRemote(fetch, pauses));
  return read_commit({fetch.git_dir, kFetchedReference, end});
}

// A branch may end before `end`, and its last commit is found by fetching it alone; a server
// refuses to send the commits since a time when there are none. Otherwise the first commit that is
// missing among those since `end` is the one.
Result<FoundCommit> Find(const std::string& url, std::int64_t end, const std::string& git_dir,
                         const CommitReader& read_commit, HostPauses& pauses) {
  KM_ASSIGN(
      const FoundCommit last,
      FetchAndFind({url, "", git_dir, {"--depth=1", "--filter=tree:0"}}, end, read_commit, pauses));
  if (last.there) return last;
  return FetchAndFind(
      {url, "", git_dir, {"--shallow-since=" + std::to_string(end) + " +0000", "--filter=tree:0"}},
      end, read_commit, pauses);
}

}  // namespace

Result<std::string> FindDatedCommit(const std::string& url, std::int64_t end,
                                    const std::string& git_dir, const CommitReader& read_commit,
                                    HostPauses& pauses) {
  std::error_code error;
  std::filesystem::remove_all(git_dir, error);
  const Result<FoundCommit> found = Find(url, end, git_dir, read_commit, pauses);
  std::filesystem::remove_all(git_dir, error);
  if (!found.ok()) return found.status();
  return found->id;
}

}  // namespace kernelmill
