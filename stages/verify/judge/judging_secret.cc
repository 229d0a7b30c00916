#include "stages/verify/judge/judging_secret.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>

#include "manifests/commit_file.h"
#include "manifests/digest.h"

namespace kernelmill {
namespace {

constexpr std::size_t kBytes = 32;
constexpr char kDigits[] = "0123456789abcdef";

}  // namespace

bool IsJudgingSecret(const std::string& text) {
  return text.size() == 2 * kBytes && text.find_first_not_of(kDigits) == text.npos;
}

std::string DrawSecret() {
  unsigned char bytes[kBytes];
  while (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
  }
  std::string secret;
  for (const unsigned char byte : bytes) {
    secret += kDigits[byte >> 4];
    secret += kDigits[byte & 15];
  }
  return secret;
}

Result<std::string> KeepSecret(const std::filesystem::path& file, const std::string& initial) {
  const std::string path = file.string();
  Result<std::string> found = ReadFile(path);
  if (found.status().code() == ErrorCode::kNotFound) {
    KM_RETURN_IF_ERROR(MakeFolders(FolderOf(path)));
    const Status written = CommitFile(path, initial);
    if (!written.ok() && written.code() != ErrorCode::kExists) return written;
    if (chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) {
      return Status::FromErrno("cannot protect", path);
    }
    found = ReadFile(path);
  }
  KM_RETURN_IF_ERROR(found.status());
  if (!IsJudgingSecret(*found)) {
    return Status(ErrorCode::kCorrupt,
                  path + ": not a secret of a judge; remove the file to draw a new one");
  }
  return found;
}

std::string CommitmentTo(const std::string& secret) {
  return secret.empty() ? "" : Sha256().Field("judging secret").Field(secret).Finish().Hex();
}

}  // namespace kernelmill
