#include "stages/pack/publish.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "manifests/commit_file.h"

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

Result<DatasetManifest> Publish(const std::string& folder, const PackedRecords& packed,
                                const DatasetFacts& facts) {
  DatasetManifest manifest;
  manifest.merkle_root = packed.merkle_root;
  manifest.records = packed.records;
  manifest.rows = packed.rows;
  manifest.near_equal_rows = packed.near_equal_rows;
  manifest.counts = facts.counts;
  manifest.plan = facts.plan;
  manifest.versions = facts.versions;
  manifest.contaminated = facts.contaminated;
  for (const auto& [step, counts] : facts.counts) KM_RETURN_IF_ERROR(counts.Check(step));
  KM_ASSIGN(const DatasetListing listing, ListDataset(folder));
  if (!listing.others.empty()) {
    return Status(ErrorCode::kExists, folder + "/" + listing.others.front() +
                                          " is neither a file nor a folder; remove it");
  }
  for (const std::string& file : listing.files) {
    if (IsTemporaryPath(file)) {
      std::error_code ignored;
      fs::remove(folder + "/" + file, ignored);
      continue;
    }
    if (!std::binary_search(facts.files.begin(), facts.files.end(), file)) {
      return Status(ErrorCode::kExists, folder + "/" + file +
                                            " is no file of this dataset; move it elsewhere and "
                                            "run the same command again");
    }
  }
  for (const std::string& file : facts.files) {
    KM_ASSIGN(FileEntry entry, FileEntry::Of(folder, file));
    manifest.files.push_back(std::move(entry));
  }
  KM_RETURN_IF_ERROR(CommitFile(folder + "/" + std::string(kManifestName), manifest.Encode()));
  return manifest;
}

}  // namespace kernelmill
