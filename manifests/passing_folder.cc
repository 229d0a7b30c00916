#include "manifests/passing_folder.h"

#include <cstdlib>
#include <system_error>

namespace kernelmill {

Result<PassingFolder> PassingFolder::Create(const std::filesystem::path& parent,
                                            const std::string& name) {
  std::string path = parent / (name + "-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return Status::FromErrno("cannot make the folder", path);
  return PassingFolder(std::move(path));
}

PassingFolder::~PassingFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

}  // namespace kernelmill
