#include "manifests/local_name.h"

#include <filesystem>

namespace kernelmill {

std::string LocalName(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path clean = fs::absolute(path, error).lexically_normal();
  fs::path name = clean.filename().empty() ? clean.parent_path().filename() : clean.filename();
  if (name == ".git") name = clean.parent_path().filename();
  return name.string();
}

}  // namespace kernelmill
