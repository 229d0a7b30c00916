#include "stages/verify/build/extension_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "manifests/commit_file.h"
#include "stages/engine/cache_pruning.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/verify/build/cuda_toolchain.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLockPause{50};
constexpr std::int64_t kMaxBytes = std::int64_t{8} << 30;           // About 40,000 extensions.
// For the entries of device_compiler.cc.
constexpr std::int64_t kMaxBytesOfDevices = std::int64_t{1} << 30;
constexpr std::chrono::hours kMaxAgeOfRuntimes{24 * 14};
constexpr std::chrono::hours kMaxAgeOfIncomplete{24};

// Removes the runtimes of other versions (100 MB each) half a month after their last use, and
// incomplete entries of killed runs after a day.
void RemoveOldRuntimes(const fs::path& folder) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (const auto& item : fs::directory_iterator(folder, error)) {
    const std::string name = item.path().filename();
    const bool entry =
        (name.starts_with("torch-") || name.starts_with("executor-") ||
         name.starts_with("runtime-")) &&
        !name.ends_with(".lock");
    if (!entry && !IsTemporaryPath(name)) continue;
    const auto used = item.last_write_time(error);
    std::error_code failure;
    if (!error && now - used > (entry ? kMaxAgeOfRuntimes : kMaxAgeOfIncomplete)) {
      fs::remove_all(item.path(), failure);
    }
  }
}

// A lock that is held while an expensive entry is built, so that no other process builds it too.
class FileLock {
 public:
  // Waits until the lock is free. kInterrupted when the run is asked to stop meanwhile.
  static Result<FileLock> Take(const fs::path& path) {
    FileLock lock;
    lock.descriptor_ = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    if (lock.descriptor_ < 0) return Status::FromErrno("cannot open", path.string());
    while (flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR)
        return Status::FromErrno("cannot lock", path.string());
      if (Pause(kLockPause) == Waited::kInterrupted) return InterruptedStatus();
    }
    return lock;
  }
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }

 private:
  FileLock() = default;
  int descriptor_ = -1;
};

}  // namespace

Result<ExtensionCache> ExtensionCache::Open(const fs::path& folder) {
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  std::error_code error;
  ExtensionCache cache;
  cache.folder_ = fs::canonical(folder, error);
  if (error) return Status(ErrorCode::kIo, "open " + folder.string() + ": " + error.message());
  KM_RETURN_IF_ERROR(PruneCache(cache.folder_ / "built", kMaxBytes));
  KM_RETURN_IF_ERROR(PruneCache(cache.folder_ / "device", kMaxBytesOfDevices));
  RemoveOldRuntimes(cache.folder_);
  KM_ASSIGN(CudaToolchain toolchain, CudaToolchain::Find());
  cache.toolchain_ = std::make_shared<const CudaToolchain>(std::move(toolchain));
  return cache;
}

fs::path ExtensionCache::DefaultFolder() { return CheckoutRoot() / ".cache" / "extensions"; }

Result<fs::path> ExtensionCache::NewFolder() const {
  const fs::path folder = TemporaryPath(folder_ / "building");
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  return folder;
}

Status ExtensionCache::Publish(const fs::path& built, const fs::path& entry) const {
  KM_RETURN_IF_ERROR(MakeFolders(entry.parent_path()));
  std::error_code error;
  fs::rename(built, entry, error);
  if (!error) return Status::Ok();
  const bool exists = fs::exists(entry);  // Another process has built the same entry.
  fs::remove_all(built);
  if (exists) return Status::Ok();
  return Status(ErrorCode::kIo, "rename to " + entry.string() + ": " + error.message());
}

Result<fs::path> ExtensionCache::Entry(const std::string& name,
                                       const std::function<Status(const fs::path&)>& build) const {
  const fs::path entry = folder_ / name;
  if (fs::exists(entry)) return entry;
  KM_ASSIGN(const FileLock lock, FileLock::Take(folder_ / (name + ".lock")));
  if (fs::exists(entry)) return entry;
  KM_ASSIGN(const fs::path folder, NewFolder());
  if (const Status status = build(folder); !status.ok()) {
    fs::remove_all(folder);
    return status;
  }
  KM_RETURN_IF_ERROR(Publish(folder, entry));
  return entry;
}

Result<std::string> ExtensionCache::SourcesKey() const {
  KM_ASSIGN(const std::string prelude_key, toolchain_->PreludeKey());
  return toolchain_->ObjectsKey(prelude_key);
}

Result<CudaRuntime> ExtensionCache::Runtime(BuildKind kind) const {
  KM_ASSIGN(const std::string prelude_key, toolchain_->PreludeKey());
  KM_ASSIGN(const std::string objects_key, toolchain_->ObjectsKey(prelude_key));
  const std::string runtime_key = CudaToolchain::RuntimeKey(kind, objects_key);
  CudaRuntime runtime;
  runtime.kind = kind;
  runtime.key = runtime_key;
  KM_ASSIGN(runtime.prelude, Entry("torch-" + prelude_key, [&](const fs::path& folder) {
              Say("verify: compiling torch's headers (a minute or two, only the first time)");
              return toolchain_->BuildPrelude(folder);
            }));
  KM_ASSIGN(runtime.folder, Entry("runtime-" + runtime_key, [&](const fs::path& folder) {
              KM_ASSIGN(const fs::path objects,
                        Entry("executor-" + objects_key, [&](const fs::path& objects_folder) {
                          return toolchain_->BuildObjects(runtime.prelude, objects_folder);
                        }));
              MarkUsed(objects);
              return toolchain_->BuildRuntime(kind, runtime.prelude, objects, folder);
            }));
  MarkUsed(runtime.prelude);
  MarkUsed(runtime.folder);
  runtime.python_folder = runtime.folder;
  runtime.environment = CudaToolchain::Environment(kind);
  return runtime;
}

}  // namespace kernelmill
