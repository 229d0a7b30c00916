#include "corpora/git/loose_object.h"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace kernelmill {
namespace {

// Git writes at most "commit ", twenty digits and a NUL.
constexpr std::size_t kLongestHeader = 32;
constexpr std::uint64_t kLargestObject = std::uint64_t{1} << 30;
// Deflate codes at most 258 bytes in two bits.
constexpr std::uint64_t kLargestRatio = 1032;

Status Corrupt(const char* what) {
  return Status(ErrorCode::kCorrupt, std::string("a loose object ") + what);
}

Status Unread(int error) {
  return Status(ErrorCode::kWorker,
                std::string("a loose object cannot be read: ") + std::strerror(error));
}

class Inflater {
 public:
  explicit Inflater(const std::string& path) {
    errno = 0;
    file_.open(path, std::ios::binary);
    if (!file_.is_open()) refused_ = errno;
    ready_ = inflateInit(&stream_) == Z_OK;
  }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills `out` as far as the stream reaches, and returns the number of bytes. std::nullopt when
  // the stream is damaged or the file ends before the stream.
  std::optional<std::size_t> Fill(char* out, std::size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (ready_ && !ended_ && stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        file_.read(packed_.data(), packed_.size());
        stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
        stream_.avail_in = static_cast<uInt>(file_.gcount());
        if (stream_.avail_in == 0) return std::nullopt;
      }
      const int state = inflate(&stream_, Z_NO_FLUSH);
      ended_ = state == Z_STREAM_END;
      if (state != Z_OK && !ended_) return std::nullopt;
    }
    if (!ready_) return std::nullopt;
    return size - stream_.avail_out;
  }

  // The error with which the file could not be opened; 0 if it could.
  int refused() const { return refused_; }

  // Whether both the stream and the file end here.
  bool AtEnd() {
    char more;
    const std::optional<std::size_t> left = Fill(&more, 1);
    return left == 0 && ended_ && stream_.avail_in == 0 && file_.peek() == EOF;
  }

 private:
  std::ifstream file_;
  int refused_ = 0;
  z_stream stream_{};
  std::array<char, 16 << 10> packed_;
  bool ready_ = false, ended_ = false;
};

// Reads the header. The bytes after it are the beginning of the content.
Result<LooseObject> ReadStart(const std::string& path, Inflater* inflater) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (IsRefusedByMachine(error.value())) return Unread(error.value());
  if (error) return Status(ErrorCode::kNotFound, "there is no such object");
  if (const int refused = inflater->refused(); refused != 0) {
    return IsRefusedByMachine(refused) ? Unread(refused) : Corrupt("must not be read");
  }
  std::array<char, kLongestHeader> start;
  const std::optional<std::size_t> count = inflater->Fill(start.data(), start.size());
  if (!count) return Corrupt("is no whole zlib stream");
  const std::string_view text(start.data(), *count);
  const std::size_t space = text.find(' '), end = text.find('\0');
  if (end == std::string_view::npos || space > end) return Corrupt("has no header");
  const std::string_view digits = text.substr(space + 1, end - space - 1);
  if (digits.empty() || digits.size() > 10) return Corrupt("has no size in its header");
  LooseObject object;
  object.kind = text.substr(0, space);
  for (char digit : digits) {
    if (digit < '0' || digit > '9') return Corrupt("has no size in its header");
    object.size = 10 * object.size + static_cast<std::uint64_t>(digit - '0');
  }
  if (object.size > kLargestObject || object.size / kLargestRatio > bytes) {
    return Corrupt("says that it is larger than it can be");
  }
  object.content = text.substr(end + 1);
  if (object.content.size() > object.size) return Corrupt("is longer than it says");
  return object;
}

}  // namespace

bool IsRefusedByMachine(int error) {
  return error == EMFILE || error == ENFILE || error == EIO;
}

Result<LooseObject> ReadLooseObject(const std::string& path) {
  Inflater inflater(path);
  KM_ASSIGN(LooseObject object, ReadStart(path, &inflater));
  const std::size_t first = object.content.size();
  object.content.resize(object.size);
  const auto count = inflater.Fill(object.content.data() + first, object.size - first);
  if (!count) return Corrupt("is no whole zlib stream");
  if (*count != object.size - first) return Corrupt("is shorter than it says");
  if (!inflater.AtEnd()) return Corrupt("is longer than it says");
  return object;
}

Result<LooseObject> ReadLooseHeader(const std::string& path) {
  Inflater inflater(path);
  KM_ASSIGN(LooseObject object, ReadStart(path, &inflater));
  object.content.clear();
  return object;
}

}  // namespace kernelmill
