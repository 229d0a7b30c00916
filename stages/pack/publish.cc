#include "stages/pack/publish.h"

#include <algorithm>
#include <filesystem>

#include "manifests/commit_file.h"
#include "manifests/dataset_listing.h"

namespace kernelmill {
namespace fs = std::filesystem;

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
