// FileWriter: writes a large file in pieces, for exports of rows and verdicts, listings and
// compressed files. The file gets its name only when it is complete, in Finish() or FinishAs();
// until then it has a temporary one (commit_file.h). One thread at a time may use a writer.
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
  // Syncs and closes the file before it gets its name. Only Finish() or FinishAs() may follow.
  Status Close();
  // Closes and renames the file. kExists when the path exists. No call may follow.
  Status Finish();
  // The same with another name, which must be in the same folder.
  Status FinishAs(const std::string& path);

 private:
  struct State;
  explicit FileWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
