// The Git repository that the confined child (untrusted_child.h) reads: opened with the first
// request that names it, and kept open for the next ones. Every untrusted operation gets it as an
// argument.
#pragma once

#include <optional>
#include <string>

#include "corpora/git/git_repository.h"
#include "manifests/status.h"

namespace kernelmill {

// Not thread-safe.
class OpenRepository {
 public:
  // The repository in the folder `git_dir`. The pointer is valid until the next call.
  Result<GitRepository*> At(const std::string& git_dir);

 private:
  std::string git_dir_;
  std::optional<GitRepository> repository_;
};

}  // namespace kernelmill
