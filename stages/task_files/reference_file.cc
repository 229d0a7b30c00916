#include "stages/task_files/reference_file.h"

#include <filesystem>

#include "manifests/commit_file.h"
#include "manifests/json.h"
#include "parsers/byte_order_mark.h"
#include "stages/task_files/supplied_rows.h"

namespace kernelmill {

Result<std::string> ReadReference(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  // Opening a pipe would block until another process writes to it.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return Status(ErrorCode::kUsage, path + " is not a file");
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > static_cast<std::uintmax_t>(kLargestReference)) {
    return Status(ErrorCode::kUsage, path + " has " + std::to_string(size) +
                                         " bytes, and a reference at most " +
                                         std::to_string(kLargestReference));
  }
  KM_ASSIGN(const std::string text, ReadFile(path));
  if (!IsUtf8(text) || text.find('\0') != std::string::npos) {
    return Status(ErrorCode::kUsage, path + " is not text: a reference must be Python in UTF-8");
  }
  return std::string(WithoutByteOrderMark(text));
}

}  // namespace kernelmill
