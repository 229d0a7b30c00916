// Reads a user's file of JSON lines line by line, and keeps only the beginning of lines that are
// too long for a task. Used by SuppliedRows (supplied_rows.h).
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

struct Line {
  std::string text;       // The part that is kept, without the line feed.
  std::int64_t size = 0;  // Bytes of the whole line.
  std::int64_t number = 1;

  bool is_whole() const { return static_cast<std::size_t>(size) == text.size(); }
};

class LineReader {
 public:
  static Result<LineReader> Open(const std::string& path);

  // The next line; nothing at the end. Text after the last line feed is a line too unless it is
  // empty.
  Result<std::optional<Line>> Next();

 private:
  explicit LineReader(const std::string& path);

  std::string path_;
  std::ifstream file_;
  std::string block_;
  std::size_t at_ = 0, end_ = 0;  // The part of the block that is not read yet.
  std::int64_t number_ = 1;
};

}  // namespace kernelmill
