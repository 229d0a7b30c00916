#include "stages/fetch/local_repository.h"

#include <fstream>
#include <sstream>

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

std::string Trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// The first `limit` bytes of a small file; "" when it cannot be read.
std::string Head(const fs::path& path, std::size_t limit) {
  std::ifstream file(path, std::ios::binary);
  std::string text(limit, '\0');
  file.read(text.data(), static_cast<std::streamsize>(limit));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

constexpr std::size_t kConfigLimit = 1 << 20;

}  // namespace

Result<LocalRepository> FindLocalRepository(const fs::path& path) {
  std::error_code error;
  const auto is_repository = [&](const fs::path& folder) {
    return fs::is_directory(folder / "objects", error) &&
           (fs::exists(folder / "HEAD", error) || fs::is_directory(folder / "refs", error));
  };
  if (!fs::exists(path, error)) {
    return Status(ErrorCode::kNotFound, "there is no such folder");
  }
  if (fs::is_directory(path / ".git", error) && is_repository(path / ".git")) {
    return LocalRepository{path / ".git", ""};
  }
  const fs::path link = fs::is_regular_file(path, error) ? path : path / ".git";
  if (fs::is_regular_file(link, error)) {
    const std::string text = Trimmed(Head(link, 8192));
    if (text.starts_with("gitdir:")) {
      const fs::path own = link.parent_path() / Trimmed(text.substr(7));
      const std::string shared = Trimmed(Head(own / "commondir", 8192));
      if (shared.empty() && is_repository(own)) return LocalRepository{own, ""};
      const fs::path common = own / shared;
      std::string head = Trimmed(Head(own / "HEAD", 8192));
      if (head.starts_with("ref:")) head = Trimmed(head.substr(4));
      if (!shared.empty() && is_repository(common)) return LocalRepository{common, head};
    }
  }
  if (is_repository(path)) return LocalRepository{path, ""};
  return Status(ErrorCode::kNotFound, "it is not a Git repository");
}

std::string RemoteOrigin(const fs::path& git_dir) {
  std::istringstream lines(Head(git_dir / "config", kConfigLimit));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    line = Trimmed(line);
    if (line.starts_with("[")) inside = line == "[remote \"origin\"]";
    const auto equals = line.find('=');
    if (inside && equals != std::string::npos && Trimmed(line.substr(0, equals)) == "url") {
      return Trimmed(line.substr(equals + 1));
    }
  }
  return "";
}

}  // namespace kernelmill
