// Finds the Git folder of a repository on this machine, and what it says of its origin. Called by
// Resolve() (source.h). Reads small files only; no Git object is parsed here.
#pragma once

#include <filesystem>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

struct LocalRepository {
  std::filesystem::path git_dir;  // Holds the objects.
  std::string head;               // The HEAD of a linked work tree, which has its own; else "".
};

// `path` is a bare repository, a work tree, or the .git file of a linked one. kNotFound when it is
// none of them.
Result<LocalRepository> FindLocalRepository(const std::filesystem::path& path);

// The url of [remote "origin"] in the repository's configuration; "" when there is none. It is
// untrusted.
std::string RemoteOrigin(const std::filesystem::path& git_dir);

}  // namespace kernelmill
