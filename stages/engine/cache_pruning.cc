#include "stages/engine/cache_pruning.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using FileTime = fs::file_time_type;

constexpr std::chrono::hours kInUse{1};
constexpr std::chrono::hours kMaxAgeOfTemporaries{24};
// Looking at every entry takes a third of a second where there are thousands.
constexpr std::chrono::minutes kBetweenPrunings{10};

struct Entry {
  fs::path path;
  std::int64_t bytes = 0;
  FileTime used;
};

std::int64_t BytesBelow(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    const auto size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

std::vector<Entry> EntriesOf(const fs::path& folder, FileTime now) {
  std::vector<Entry> entries;
  std::error_code error;
  for (const auto& part : fs::directory_iterator(folder, error)) {
    if (part.path().filename().string().size() != 2 || !part.is_directory(error)) continue;
    for (const auto& item : fs::directory_iterator(part.path(), error)) {
      Entry entry;
      entry.path = item.path();
      entry.used = item.last_write_time(error);
      if (error) continue;  // Another process has removed it.
      if (IsTemporaryPath(entry.path.string())) {
        if (now - entry.used > kMaxAgeOfTemporaries) fs::remove_all(entry.path, error);
        continue;
      }
      entry.bytes = item.is_directory(error) ? BytesBelow(entry.path)
                                             : static_cast<std::int64_t>(item.file_size(error));
      if (!error) entries.push_back(std::move(entry));
    }
  }
  return entries;
}

}  // namespace

Status PruneCache(const fs::path& folder, std::int64_t max_bytes) {
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  const fs::path path = folder / "pruning.lock";
  std::error_code none_yet;
  const FileTime pruned = fs::last_write_time(path, none_yet), now = FileTime::clock::now();
  // The file's time is that of the last pruning. If the clock was set back since, the cache is
  // pruned.
  if (!none_yet && now >= pruned && now - pruned < kBetweenPrunings) return Status::Ok();
  const int lock = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock < 0) return Status::FromErrno("cannot open", path.string());
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
    futimens(lock, nullptr);
    std::vector<Entry> entries = EntriesOf(folder, now);
    std::int64_t bytes = 0;
    for (const Entry& entry : entries) bytes += entry.bytes;
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.used < b.used; });
    const std::int64_t goal = bytes > max_bytes ? max_bytes - max_bytes / 10 : bytes;
    for (const Entry& entry : entries) {
      if (bytes <= goal || now - entry.used < kInUse) break;
      std::error_code error;
      fs::remove_all(entry.path, error);
      if (!error) bytes -= entry.bytes;
    }
  }
  close(lock);
  return Status::Ok();
}

void MarkUsed(const fs::path& entry) { utimensat(AT_FDCWD, entry.c_str(), nullptr, 0); }

}  // namespace kernelmill
