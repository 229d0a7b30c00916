#include "stages/untrusted/open_repository.h"

namespace kernelmill {

Result<GitRepository*> OpenRepository::At(const std::string& git_dir) {
  if (!repository_ || git_dir_ != git_dir) {
    repository_.reset();
    KM_ASSIGN(repository_, GitRepository::Open(git_dir));
    git_dir_ = git_dir;
  }
  return &*repository_;
}

}  // namespace kernelmill
