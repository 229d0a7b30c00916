// The lines of a file, one after the other.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

struct Line {
  std::string text;       // As far as it is kept, without the line feed.
  std::int64_t size = 0;  // All of it.
  std::int64_t number = 1;

  bool is_whole() const { return static_cast<std::size_t>(size) == text.size(); }
};

class LineReader {
 public:
  static Result<LineReader> Open(const std::string& path);

  // Nothing at the end. What follows the last line feed is a line unless it is empty.
  Result<std::optional<Line>> Next();

 private:
  explicit LineReader(const std::string& path);

  std::string path_;
  std::ifstream file_;
  std::string block_;
  std::size_t at_ = 0, end_ = 0;  // What of the block is still to be read.
  std::int64_t number_ = 1;
};

}  // namespace kernelmill
