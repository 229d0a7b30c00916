#include "manifests/commit_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace kernelmill {
namespace {

constexpr std::string_view kTemporaryMark = ".tmp-";
constexpr std::size_t kTemporaryDigits = 16;
// Far above every file that kernelmill reads as a whole. The limit stops endless files (devices).
constexpr std::size_t kLargestWhole = std::size_t{4} << 30;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }
  // Network file systems report a failed write only here.
  int Close() {
    const int fd = fd_;
    fd_ = -1;
    return close(fd);
  }

 private:
  int fd_;
};

Status WriteNew(const std::string& path, std::string_view bytes) {
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) return Status::FromErrno("cannot create", path);
  while (!bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Status::FromErrno("cannot write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(file.get()) != 0) return Status::FromErrno("cannot sync", path);
  if (file.Close() != 0) return Status::FromErrno("cannot close", path);
  return Status::Ok();
}

// rename(2) that refuses to replace; with link(2) on file systems without RENAME_NOREPLACE.
int RenameNew(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (link(from.c_str(), to.c_str()) != 0) return -1;
  return unlink(from.c_str());
}

}  // namespace

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string TemporaryPath(const std::string& path) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::uint64_t random = 0;
  while (getrandom(&random, sizeof random, 0) != sizeof random) {
  }
  std::string temporary = path + std::string(kTemporaryMark);
  for (std::size_t i = 0; i < kTemporaryDigits; ++i) {
    temporary.push_back(kDigits[random >> (4 * i) & 15]);
  }
  return temporary;
}

bool IsTemporaryPath(std::string_view path) {
  if (path.size() < kTemporaryMark.size() + kTemporaryDigits) return false;
  const std::string_view digits = path.substr(path.size() - kTemporaryDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         path.substr(0, path.size() - kTemporaryDigits).ends_with(kTemporaryMark);
}

Status SyncFolder(const std::string& path) {
  FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return Status::FromErrno("cannot open the folder", path);
  // Some network file systems cannot sync a folder and return EINVAL.
  if (fsync(folder.get()) != 0 && errno != EINVAL) {
    return Status::FromErrno("cannot sync the folder", path);
  }
  return Status::Ok();
}

Status NameTemporary(const std::string& temporary, const std::string& path) {
  if (RenameNew(temporary, path) == 0) return Status::Ok();
  if (errno == EEXIST) return Status(ErrorCode::kExists, path + " exists already");
  return Status::FromErrno("cannot give its name to", path);
}

Status CommitTemporary(const std::string& temporary, const std::string& path) {
  KM_RETURN_IF_ERROR(NameTemporary(temporary, path));
  return SyncFolder(FolderOf(path));
}

Status CommitFile(const std::string& path, std::string_view bytes) {
  const std::string temporary = TemporaryPath(path);
  Status status = WriteNew(temporary, bytes);
  if (status.ok()) status = CommitTemporary(temporary, path);
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

Status ReplaceFile(const std::string& path, std::string_view bytes) {
  const std::string temporary = TemporaryPath(path);
  Status status = WriteNew(temporary, bytes);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = Status::FromErrno("cannot replace", path);
  }
  if (!status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  return SyncFolder(FolderOf(path));
}

Result<std::string> ReadFile(const std::string& path) {
  // Without O_NONBLOCK, a pipe that nobody writes to would never open.
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return Status::FromErrno("cannot open", path);
  std::string bytes;
  const auto too_large = [&](std::size_t size) { return size > kLargestWhole - bytes.size(); };
  const Status refused(ErrorCode::kIo, path + " is over 4 GiB: too large to be read at once");
  struct stat about{};
  if (fstat(file.get(), &about) != 0) return Status::FromErrno("cannot read", path);
  if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
    return Status(ErrorCode::kIo, path + " is a pipe or a device, not a file");
  }
  if (S_ISREG(about.st_mode) && about.st_size > 0) {
    if (too_large(static_cast<std::size_t>(about.st_size))) return refused;
    bytes.reserve(static_cast<std::size_t>(about.st_size) + 1);
  }
  char buffer[1 << 16];
  for (;;) {
    const ssize_t size = read(file.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Status::FromErrno("cannot read", path);
    if (size == 0) return bytes;
    if (too_large(static_cast<std::size_t>(size))) return refused;
    bytes.append(buffer, static_cast<std::size_t>(size));
  }
}

Status MakeFolders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    errno = error.value();
    return Status::FromErrno("cannot make the folder", path);
  }
  return Status::Ok();
}

}  // namespace kernelmill
