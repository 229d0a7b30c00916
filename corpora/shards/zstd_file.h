// Reads and writes files that consist of one zstd frame, piece by piece: the .jsonl.zst export. It
// is a single frame because many readers stop after the first one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "manifests/file_writer.h"
#include "manifests/status.h"

namespace kernelmill {

class ZstdFileWriter {
 public:
  static Result<ZstdFileWriter> Create(const std::string& path);
  ~ZstdFileWriter();
  ZstdFileWriter(ZstdFileWriter&&) noexcept;
  ZstdFileWriter& operator=(ZstdFileWriter&&) noexcept;

  Status Append(std::string_view bytes);
  // Ends the frame and gives the file its name (manifests/file_writer.h).
  Status Finish();

 private:
  struct State;
  explicit ZstdFileWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class ZstdFileReader {
 public:
  static Result<ZstdFileReader> Open(const std::string& path);
  ~ZstdFileReader();
  ZstdFileReader(ZstdFileReader&&) noexcept;
  ZstdFileReader& operator=(ZstdFileReader&&) noexcept;

  // The next `count` bytes, fewer at the end. kCorrupt when the file is damaged, truncated, or has
  // bytes after the frame.
  Result<std::string> Read(std::size_t count);

 private:
  struct State;
  explicit ZstdFileReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
