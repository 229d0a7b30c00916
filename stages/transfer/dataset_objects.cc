#include "stages/transfer/dataset_objects.h"

#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/printable.h"

namespace kernelmill {

ObjectAddress ClaimOf(const ObjectAddress& dataset) {
  return {dataset.bucket, dataset.name + ".claim"};
}

Status CheckObjectPath(const std::string& dataset, const std::string& path) {
  const std::string first = path.substr(0, path.find('/'));
  constexpr std::size_t kMostBytes = 250;
  if (IsSafeObjectName(path) && path.size() <= kMostBytes && first != kManifestName &&
      first != kRunFolderName && !IsTemporaryPath(path)) {
    return Status::Ok();
  }
  return Status(ErrorCode::kCorrupt,
                dataset + ": '" + PrintableLine(path) + "' is no path of a file of a dataset");
}

}  // namespace kernelmill
