#include "stages/task_files/line_reader.h"

#include <string_view>
#include <utility>

namespace kernelmill {
namespace {

// Much longer than a reference, because a line may have other fields.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr std::size_t kBlock = std::size_t{1} << 18;

}  // namespace

LineReader::LineReader(const std::string& path)
    : path_(path), file_(path, std::ios::binary), block_(kBlock, '\0') {}

Result<LineReader> LineReader::Open(const std::string& path) {
  LineReader reader(path);
  if (!reader.file_) return Status::FromErrno("cannot read", path);
  return reader;
}

Result<std::optional<Line>> LineReader::Next() {
  Line line;
  line.number = number_;
  while (at_ < end_ || file_) {
    if (at_ == end_) {
      file_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
      if (file_.bad()) return Status::FromErrno("cannot read", path_);
      at_ = 0;
      end_ = static_cast<std::size_t>(file_.gcount());
    }
    const std::string_view rest = std::string_view(block_).substr(at_, end_ - at_);
    const std::string_view piece = rest.substr(0, rest.find('\n'));
    line.size += static_cast<std::int64_t>(piece.size());
    line.text.append(piece.substr(0, kLongestLine - line.text.size()));
    at_ += piece.size();
    if (at_ == end_) continue;
    ++at_;  // The line feed.
    ++number_;
    return std::optional(std::move(line));
  }
  if (line.size == 0) return std::optional<Line>();
  return std::optional(std::move(line));
}

}  // namespace kernelmill
