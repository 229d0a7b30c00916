#include "stages/verify/extension_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

#include "manifests/commit_file.h"
#include "stages/engine/progress.h"
#include "stages/verify/cuda_toolchain.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// Held while an entry is built that takes long, so that nobody builds it a second time.
class FileLock {
 public:
  explicit FileLock(const fs::path& path)
      : descriptor_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
  }
  ~FileLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace

Result<ExtensionCache> ExtensionCache::Open(const fs::path& folder) {
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  std::error_code error;
  ExtensionCache cache;
  cache.folder_ = fs::canonical(folder, error);
  if (error) return Status(ErrorCode::kIo, "open " + folder.string() + ": " + error.message());
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
  const bool exists = fs::exists(entry);  // Whoever was first has made the same.
  fs::remove_all(built);
  if (exists) return Status::Ok();
  return Status(ErrorCode::kIo, "rename to " + entry.string() + ": " + error.message());
}

Result<fs::path> ExtensionCache::Entry(const std::string& name,
                                       const std::function<Status(const fs::path&)>& build) const {
  const fs::path entry = folder_ / name;
  if (fs::exists(entry)) return entry;
  const FileLock lock(folder_ / (name + ".lock"));
  if (fs::exists(entry)) return entry;
  KM_ASSIGN(const fs::path folder, NewFolder());
  if (const Status status = build(folder); !status.ok()) {
    fs::remove_all(folder);
    return status;
  }
  KM_RETURN_IF_ERROR(Publish(folder, entry));
  return entry;
}

Result<CudaRuntime> ExtensionCache::Runtime(BuildKind kind) const {
  KM_ASSIGN(const std::string prelude_key, toolchain_->PreludeKey());
  KM_ASSIGN(const std::string runtime_key, toolchain_->RuntimeKey(kind));
  CudaRuntime runtime;
  runtime.key = runtime_key;
  KM_ASSIGN(runtime.prelude, Entry("torch-" + prelude_key, [&](const fs::path& folder) {
              Say("verify: compiling torch's headers (a minute or two, only the first time)");
              return toolchain_->BuildPrelude(folder);
            }));
  KM_ASSIGN(runtime.folder, Entry("runtime-" + runtime_key, [&](const fs::path& folder) {
              return toolchain_->BuildRuntime(kind, runtime.prelude, folder);
            }));
  runtime.python_folder = runtime.folder;
  runtime.environment = CudaToolchain::Environment(kind);
  return runtime;
}

}  // namespace kernelmill
