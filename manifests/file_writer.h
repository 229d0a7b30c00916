// A file written piece by piece that gets its name only when it is whole; see commit_file.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

class FileWriter {
 public:
  static Result<FileWriter> Create(const std::string& path);
  ~FileWriter();  // Removes the temporary file unless Finish() was called.
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;

  Status Append(std::string_view bytes);
  // Syncs and closes; only Finish() or FinishAs() may follow. For files that wait for their name.
  Status Close();
  // Closes and renames. kExists when the path is taken already. Nothing may follow it.
  Status Finish();
  // The same with another name in the same folder.
  Status FinishAs(const std::string& path);

 private:
  struct State;
  explicit FileWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
