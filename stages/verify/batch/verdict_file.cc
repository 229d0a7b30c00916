#include "stages/verify/batch/verdict_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr std::size_t kChunk = 1 << 20;

Status WriteAll(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Status::FromErrno("cannot write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Status::Ok();
}

// Appends up to `size` bytes; fewer only at the end of the file.
Status ReadAt(int descriptor, std::int64_t offset, std::size_t size, std::string* bytes,
              const std::string& path) {
  const std::size_t before = bytes->size();
  bytes->resize(before + size);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more = pread(descriptor, bytes->data() + before + got, size - got,
                               offset + static_cast<std::int64_t>(got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return Status::FromErrno("cannot read", path);
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  bytes->resize(before + got);
  return Status::Ok();
}

}  // namespace

Result<VerdictFile> VerdictFile::Open(const std::string& path) {
  VerdictFile file;
  file.path_ = path;
  const std::string lock = path + ".lock";
  file.lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file.lock_ < 0) return Status::FromErrno("cannot open", lock);
  if (flock(file.lock_, LOCK_EX | LOCK_NB) != 0) {
    return Status(ErrorCode::kBusy,
                  path + ": another run writes it; wait, or name another --output");
  }
  file.descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file.descriptor_ < 0) return Status::FromErrno("cannot open", path);
  KM_RETURN_IF_ERROR(file.ReadLines());
  if (ftruncate(file.descriptor_, file.end_) != 0) return Status::FromErrno("cannot cut", path);
  return file;
}

VerdictFile::VerdictFile(VerdictFile&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      end_(other.end_),
      known_(std::move(other.known_)) {}

VerdictFile::~VerdictFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (lock_ >= 0) close(lock_);
}

Status VerdictFile::ReadLines() {
  std::string buffer;
  std::int64_t read = 0;
  while (true) {
    const std::size_t before = buffer.size();
    KM_RETURN_IF_ERROR(ReadAt(descriptor_, read, kChunk, &buffer, path_));
    read += static_cast<std::int64_t>(buffer.size() - before);
    std::size_t at = 0;
    for (std::size_t end; (end = buffer.find('\n', at)) != std::string::npos; at = end + 1) {
      const Place place{end_, end + 1 - at};
      end_ += static_cast<std::int64_t>(place.size);
      const Result<Json> json = Json::Parse(std::string_view(buffer).substr(at, end - at));
      if (!json.ok()) continue;
      std::string key;
      Json verdict;
      Known known;
      JsonFields fields(*json, "verdict line");
      fields.Read("key", &key);
      fields.Read("fingerprint", &known.fingerprint);
      fields.Read("verdict", &verdict);
      if (!fields.Finish().ok()) continue;
      known.status = verdict.TextAt("status");
      known.reason = verdict.TextAt("reason");
      known.place = place;
      known_[key] = std::move(known);
    }
    if (buffer.size() == before) return Status::Ok();
    buffer.erase(0, at);
  }
}

const VerdictFile::Known* VerdictFile::Find(const std::string& key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : &found->second;
}

Result<VerdictFile::Place> VerdictFile::Append(const std::string& key,
                                               const std::string& fingerprint,
                                               const Json& verdict) {
  return AppendLine(Json::Object{{"key", key}, {"fingerprint", fingerprint}, {"verdict", verdict}});
}

Result<VerdictFile::Place> VerdictFile::AppendRejected(const std::string& key,
                                                       const std::string& problem,
                                                       std::string_view bytes) {
  Json::Object rejected = {{"problem", problem}};
  if (IsUtf8(bytes)) {
    rejected["text"] = bytes;
  } else {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (const unsigned char byte : bytes) {
      hex += kDigits[byte >> 4];
      hex += kDigits[byte & 15];
    }
    rejected["hex"] = std::move(hex);
  }
  return AppendLine(Json::Object{{"key", key}, {"rejected", std::move(rejected)}});
}

Result<VerdictFile::Place> VerdictFile::AppendLine(const Json& json) {
  const std::string line = json.Dump() + "\n";
  const std::lock_guard lock(mutex_);
  KM_RETURN_IF_ERROR(WriteAll(descriptor_, line, path_));
  const Place place{end_, line.size()};
  end_ += static_cast<std::int64_t>(line.size());
  return place;
}

Status VerdictFile::Arrange(const std::vector<Place>& places) const {
  const std::string temporary = TemporaryPath(path_);
  const int to = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (to < 0) return Status::FromErrno("cannot create", temporary);
  const auto copy = [&]() -> Status {
    std::string bytes;
    for (const Place& place : places) {
      KM_RETURN_IF_ERROR(ReadAt(descriptor_, place.offset, place.size, &bytes, path_));
      if (bytes.size() < kChunk) continue;
      KM_RETURN_IF_ERROR(WriteAll(to, bytes, temporary));
      bytes.clear();
    }
    KM_RETURN_IF_ERROR(WriteAll(to, bytes, temporary));
    if (fsync(to) != 0) return Status::FromErrno("cannot sync", temporary);
    if (rename(temporary.c_str(), path_.c_str()) != 0) {
      return Status::FromErrno("cannot replace", path_);
    }
    return SyncFolder(FolderOf(path_));
  };
  const Status status = copy();
  close(to);
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

}  // namespace kernelmill
