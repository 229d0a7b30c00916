#include "stages/ask/answer_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/json.h"
#include "parsers/samples/sample_format.h"
#include "stages/ask/sample_line.h"
#include "stages/engine/progress.h"

namespace kernelmill {

AnswerFile::~AnswerFile() {
  if (descriptor_ >= 0) close(descriptor_);
}
AnswerFile::AnswerFile(AnswerFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      is_synced_(other.is_synced_) {}
AnswerFile& AnswerFile::operator=(AnswerFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(is_synced_, other.is_synced_);
  return *this;
}

Result<AnswerFile> AnswerFile::Open(const std::string& path) {
  const std::string folder = FolderOf(path);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return Status(ErrorCode::kUsage, path + " is a folder; --output takes a file");
  }
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return Status::FromErrno("cannot open", path);
  AnswerFile file(path, descriptor);
  struct stat facts = {};
  if (fstat(descriptor, &facts) != 0) return Status::FromErrno("cannot read", path);
  if (!S_ISREG(facts.st_mode)) return Status(ErrorCode::kUsage, path + " is no regular file");
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return Status(ErrorCode::kBusy, path +
                                        ": another kernelmill writes this file; wait for it, or "
                                        "give --output another one");
  }
  KM_RETURN_IF_ERROR(SyncFolder(folder));
  return file;
}

Status AnswerFile::Shorten(std::int64_t size) {
  if (ftruncate(descriptor_, size) != 0) return Status::FromErrno("cannot shorten", path_);
  is_synced_ = false;
  return Sync();
}

Status AnswerFile::MendTail() {
  std::ifstream file(path_, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path_);
  std::string line;
  size_ = 0;
  while (std::getline(file, line) && !file.eof()) {
    size_ += static_cast<std::int64_t>(line.size()) + 1;
  }
  if (line.empty() || !file.eof()) return Status::Ok();
  if (Json::Parse(line).ok()) {
    size_ += static_cast<std::int64_t>(line.size());
    KM_RETURN_IF_ERROR(Append(""));
    return Sync();
  }
  // A machine that lost power can leave zeros.
  if (CanBeginLine(line) || line.find_first_not_of('\0') == line.npos) {
    Warn("sample: " + path_ + " ends with " + std::to_string(line.size()) +
         " bytes of a line that was not written to its end; they are removed");
    return Shorten(size_);
  }
  return Status(ErrorCode::kUsage, path_ +
                                       " does not end with a line of `sample`; give --output "
                                       "another file");
}

Status AnswerFile::ForEachLine(const Visit& visit) const {
  std::ifstream file(path_, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path_);
  std::int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (file.eof() && !Json::Parse(line).ok()) break;
    if (!IsBlankLine(line)) KM_RETURN_IF_ERROR(visit(number, line));
  }
  return file.bad() ? Status::FromErrno("cannot read", path_) : Status::Ok();
}

Status AnswerFile::Append(std::string_view line) {
  const std::string whole = std::string(line) + '\n';
  std::string_view rest = whole;
  is_synced_ = false;
  while (!rest.empty()) {
    const ssize_t size = write(descriptor_, rest.data(), rest.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      const Status failed = Status::FromErrno("cannot write", path_);
      // The lines before it stay usable for other programs too.
      static_cast<void>(Shorten(size_));
      return failed;
    }
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
  size_ += static_cast<std::int64_t>(whole.size());
  return Status::Ok();
}

Status AnswerFile::Sync() {
  if (is_synced_) return Status::Ok();
  if (fdatasync(descriptor_) != 0) return Status::FromErrno("cannot sync", path_);
  is_synced_ = true;
  return Status::Ok();
}

}  // namespace kernelmill
