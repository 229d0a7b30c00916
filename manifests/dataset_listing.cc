#include "manifests/dataset_listing.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "manifests/dataset_manifest.h"

namespace kernelmill {
namespace fs = std::filesystem;

Result<DatasetListing> ListDataset(const std::string& folder) {
  DatasetListing listing;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().lexically_relative(folder).generic_string();
    const fs::file_status status = entry->symlink_status(error);
    if (error) break;
    if (fs::is_directory(status)) {
      if (path == kRunFolderName) entry.disable_recursion_pending();
    } else if (!fs::is_regular_file(status)) {
      listing.others.push_back(path);
    } else if (path != kManifestName) {
      listing.files.push_back(path);
    }
  }
  if (error) {
    errno = error.value();
    return Status::FromErrno("cannot list", folder);
  }
  std::sort(listing.files.begin(), listing.files.end());
  std::sort(listing.others.begin(), listing.others.end());
  return listing;
}

}  // namespace kernelmill
