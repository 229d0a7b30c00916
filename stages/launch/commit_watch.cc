#include "stages/launch/commit_watch.h"

#include <filesystem>
#include <string>

#include "stages/engine/partition_writer.h"

namespace kernelmill {
namespace {

// By a listing of the folder: a network file system may remember for long that a name did not
// exist.
Result<std::set<std::int64_t>> Committed(const PlannedStep& step) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(step.folder, error)) {
    names.insert(entry.path().filename().string());
  }
  if (error) {
    return Status(ErrorCode::kIo, "cannot list " + step.folder + ": " + error.message());
  }
  std::set<std::int64_t> committed;
  for (std::int64_t partition = 0; partition < step.plan.partitions; ++partition) {
    if (names.contains(PartName(partition) + ".json")) committed.insert(partition);
  }
  return committed;
}

}  // namespace

CommitWatch::CommitWatch(const PlannedStep& step, Progress* progress)
    : step_(step), progress_(progress) {
  const Result<std::set<std::int64_t>> committed = Committed(step_);
  if (committed.ok()) before_ = *committed;
}

Result<std::vector<std::int64_t>> CommitWatch::Missing() {
  KM_ASSIGN(const std::set<std::int64_t> committed, Committed(step_));
  for (const std::int64_t partition : committed) {
    if (before_.contains(partition) || !seen_.insert(partition).second) continue;
    KM_ASSIGN(const PartitionManifest manifest,
              ReadPartitionManifest(step_.folder, step_.plan, partition));
    counts_.Add(manifest.counts);
  }
  if (progress_ != nullptr) progress_->Update(counts_);
  std::vector<std::int64_t> missing;
  for (std::int64_t partition = 0; partition < step_.plan.partitions; ++partition) {
    if (!committed.contains(partition)) missing.push_back(partition);
  }
  return missing;
}

}  // namespace kernelmill
