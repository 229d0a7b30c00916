#include "generators/standard_documents/documented_dataset.h"

#include <algorithm>

namespace kernelmill {

std::vector<FileEntry> DocumentedDataset::Files() const {
  std::vector<FileEntry> files = manifest.files;
  files.push_back(manifest_file);
  std::sort(files.begin(), files.end(),
            [](const FileEntry& a, const FileEntry& b) { return a.path < b.path; });
  return files;
}

}  // namespace kernelmill
