#include "corpora/duplicates/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

constexpr std::size_t kBufferNumbers = std::size_t{1} << 15;
// Of a block of DividedPairs: the place of the block before, and 31 pairs.
constexpr std::size_t kBlockNumbers = 63;
constexpr std::uint64_t kNoBlock = ~std::uint64_t{0};

}  // namespace

Result<ScratchFile> ScratchFile::Create(const std::string& folder) {
  const std::string path = TemporaryPath(folder + "/scratch");
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return Status::FromErrno("cannot create", path);
  ScratchFile file(folder, fd);
  if (unlink(path.c_str()) != 0) return Status::FromErrno("cannot remove", path);
  return file;
}

ScratchFile::~ScratchFile() {
  if (fd_ >= 0) close(fd_);
}
ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : folder_(std::move(other.folder_)),
      fd_(std::exchange(other.fd_, -1)),
      written_(other.written_),
      buffer_(std::move(other.buffer_)) {}
ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(fd_, other.fd_);
  std::swap(written_, other.written_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

Status ScratchFile::WriteThrough(std::uint64_t at, std::span<const std::uint64_t> numbers) {
  const auto bytes = std::as_bytes(numbers);
  const auto first = static_cast<off_t>(at * sizeof(std::uint64_t));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = pwrite(fd_, bytes.data() + done, bytes.size() - done,
                                 first + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Status::FromErrno("cannot write a temporary file in", folder_);
    done += static_cast<std::size_t>(count);
  }
  return Status::Ok();
}

Status ScratchFile::Flush() {
  KM_RETURN_IF_ERROR(WriteThrough(written_, buffer_));
  written_ += buffer_.size();
  buffer_.clear();
  return Status::Ok();
}

Status ScratchFile::Append(std::span<const std::uint64_t> numbers) {
  buffer_.insert(buffer_.end(), numbers.begin(), numbers.end());
  return buffer_.size() < kBufferNumbers ? Status::Ok() : Flush();
}

Status ScratchFile::Read(std::uint64_t at, std::span<std::uint64_t> numbers) {
  if (!buffer_.empty()) KM_RETURN_IF_ERROR(Flush());
  const auto bytes = std::as_writable_bytes(numbers);
  const auto first = static_cast<off_t>(at * sizeof(std::uint64_t));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        pread(fd_, bytes.data() + done, bytes.size() - done, first + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Status::FromErrno("cannot read a temporary file in", folder_);
    if (count == 0) return Status(ErrorCode::kInternal, "a read beyond the end of a scratch file");
    done += static_cast<std::size_t>(count);
  }
  return Status::Ok();
}

Status ScratchFile::Write(std::uint64_t at, std::span<const std::uint64_t> numbers) {
  if (!buffer_.empty()) KM_RETURN_IF_ERROR(Flush());
  return WriteThrough(at, numbers);
}

Result<DividedPairs> DividedPairs::Create(const std::string& folder, std::size_t parts) {
  KM_ASSIGN(ScratchFile file, ScratchFile::Create(folder));
  DividedPairs pairs(std::move(file));
  pairs.buffers_.assign(parts, {kNoBlock});
  pairs.full_.resize(parts);
  return pairs;
}

Status DividedPairs::Add(std::size_t part, const Pair& pair) {
  std::vector<std::uint64_t>& buffer = buffers_[part];
  buffer.reserve(kBlockNumbers);
  buffer.push_back(pair.first);
  buffer.push_back(pair.second);
  if (buffer.size() < kBlockNumbers) return Status::Ok();
  const std::uint64_t block = file_.size();
  KM_RETURN_IF_ERROR(file_.Append(buffer));
  buffer.assign(1, block);
  full_[part] += kBlockNumbers / 2;
  return Status::Ok();
}

Result<std::vector<DividedPairs::Pair>> DividedPairs::Part(std::size_t part) {
  std::vector<Pair> pairs;
  pairs.reserve(full_[part] + buffers_[part].size() / 2);
  const auto take = [&](std::span<const std::uint64_t> block) {
    for (std::size_t i = 1; i < block.size(); i += 2) pairs.emplace_back(block[i], block[i + 1]);
    return block[0];
  };
  std::vector<std::uint64_t> block(kBlockNumbers);
  for (std::uint64_t at = take(buffers_[part]); at != kNoBlock; at = take(block)) {
    KM_RETURN_IF_ERROR(file_.Read(at, block));
  }
  return pairs;
}

}  // namespace kernelmill
