// The file that answers are appended to, one JSON object a line. A line that Append() has written
// and Sync() has followed survives a kill of the program and of the machine. A kill can leave the
// beginning of one more line: ForEachLine() passes over it, and MendTail() removes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

class AnswerFile {
 public:
  // Creates the file, with its folders, or opens the existing one, and locks it. kBusy while
  // another process has it open, kUsage if it is no regular file.
  static Result<AnswerFile> Open(const std::string& path);
  ~AnswerFile();
  AnswerFile(AnswerFile&&) noexcept;
  AnswerFile& operator=(AnswerFile&&) noexcept;

  const std::string& path() const { return path_; }
  // Visits the lines that are not blank, with their numbers from 1; also a last one without its
  // line feed, if it is a whole JSON document.
  using Visit = std::function<Status(std::int64_t number, const std::string& line)>;
  Status ForEachLine(const Visit& visit) const;
  // Ends what stands behind the last line feed: a whole JSON document, which ForEachLine() has
  // visited, gets its line feed; the beginning of a line of ours (sample_line.h) is removed, which
  // a warning says. kUsage for anything else: then the file is another program's.
  Status MendTail();

  // Writes a line; `line` has no line feed.
  Status Append(std::string_view line);
  // Makes the lines durable.
  Status Sync();

 private:
  AnswerFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  // Keeps the first `size` bytes.
  Status Shorten(std::int64_t size);

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;  // Of the whole lines, from MendTail() on.
  bool is_synced_ = true;
};

}  // namespace kernelmill
