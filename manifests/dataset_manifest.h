// manifest.json: what a published dataset is. Its creation is the publication; every other file of
// the dataset is named in it with size and hash, so that nothing can change unseen. It is the only
// file that `kernelmill audit` reads before it knows anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/part_manifest.h"
#include "manifests/status.h"

namespace kernelmill {

inline constexpr std::string_view kManifestName = "manifest.json";
// The local state of the run that wrote the dataset; no part of it.
inline constexpr std::string_view kRunFolderName = ".run";

struct DatasetManifest {
  // Which plan a step followed, in the order of the steps.
  struct StepPlan {
    std::string step;
    Digest identity;  // Plan::Identity().

    friend bool operator==(const StepPlan&, const StepPlan&) = default;
  };

  Digest merkle_root;                           // Over record digests in content_id order.
  std::map<std::string, std::int64_t> records;  // By RecordKindName().
  std::map<std::string, std::int64_t> rows;     // Training records by split.
  std::map<std::string, StepCounts> counts;     // By step.
  std::vector<StepPlan> plan;
  std::map<std::string, std::string> versions;  // What made it: "kernelmill", "torch", …
  std::vector<FileEntry> files;                 // Every file of the dataset but this one, by path.

  // SHA-256 over the canonical JSON of everything above.
  Digest ManifestDigest() const;

  // The bytes of manifest.json. One manifest has one encoding.
  std::string Encode() const;
  // kCorrupt unless `bytes` is exactly what Encode() gives for what they say, manifest_digest
  // included.
  static Result<DatasetManifest> Decode(std::string_view bytes);

  friend bool operator==(const DatasetManifest&, const DatasetManifest&) = default;
};

}  // namespace kernelmill
