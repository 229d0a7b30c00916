// A new folder that is removed, with all that is in it, when its object is destroyed.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "manifests/status.h"

namespace kernelmill {

class PassingFolder {
 public:
  // Below `parent`, which exists, under a name that begins with `name`.
  static Result<PassingFolder> Create(const std::filesystem::path& parent, const std::string& name);
  PassingFolder(PassingFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PassingFolder& operator=(PassingFolder&&) = delete;
  ~PassingFolder();

  const std::string& path() const { return path_; }

 private:
  explicit PassingFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace kernelmill
