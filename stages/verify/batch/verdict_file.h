// A file of verdicts, a JSON object {"key", "fingerprint", "verdict"} a line; for what cannot be
// judged {"key", "rejected": {"problem", "text"}}, with "hex" for bytes that are no UTF-8. Lines
// are appended as verdicts come; what is in memory of each is where it lies.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

class VerdictFile {
 public:
  struct Place {
    std::int64_t offset = 0;
    std::size_t size = 0;  // With the line break.
  };
  struct Known {
    std::string fingerprint;
    std::string status, reason;
    Place place;
  };

  // Reads the whole lines that are there; half a last one is what a killed run leaves. kBusy while
  // another run has it.
  static Result<VerdictFile> Open(const std::string& path);
  ~VerdictFile();
  VerdictFile(VerdictFile&& other) noexcept;
  VerdictFile& operator=(VerdictFile&&) = delete;

  // The last line of a key that was there when the file was opened; nullptr without one.
  const Known* Find(const std::string& key) const;
  // From any thread.
  Result<Place> Append(const std::string& key, const std::string& fingerprint, const Json& verdict);
  Result<Place> AppendRejected(const std::string& key, const std::string& problem,
                               std::string_view bytes);
  // Puts a file of only these lines, in this order, in the place of this one.
  Status Arrange(const std::vector<Place>& places) const;

 private:
  VerdictFile() = default;
  Status ReadLines();
  Result<Place> AppendLine(const Json& json);

  std::string path_;
  int lock_ = -1;  // Beside the file, which Arrange() replaces.
  int descriptor_ = -1;
  std::int64_t end_ = 0;
  std::map<std::string, Known, std::less<>> known_;
  std::mutex mutex_;
};

}  // namespace kernelmill
