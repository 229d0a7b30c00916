// manifest.json, the description of a published dataset: counts, the plan of each step, versions,
// the Merkle root over the records, and every other file with its size and hash, so that every
// change is found. stages/pack/publish.h writes it last, which publishes the dataset; the audit,
// the export and DatasetReader read it first.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/partition_manifest.h"
#include "manifests/status.h"

namespace kernelmill {

inline constexpr std::string_view kManifestName = "manifest.json";
// The local state of the run that wrote the dataset. It is not part of the dataset.
inline constexpr std::string_view kRunFolderName = ".run";

struct DatasetManifest {
  // The plan that a step followed.
  struct StepPlan {
    std::string step;
    Digest identity;  // Plan::Identity().

    friend bool operator==(const StepPlan&, const StepPlan&) = default;
  };

  Digest merkle_root;                           // Over record digests in content_id order.
  std::map<std::string, std::int64_t> records;  // By RecordKindName().
  std::map<std::string, std::int64_t> rows;     // Training records by split.
  // Of the rows: those with the weight 0 because enough near-equal programs of their task are
  // trained. manifest.json has it only if there are some.
  std::int64_t near_equal_rows = 0;
  std::map<std::string, StepCounts> counts;     // By step.
  std::vector<StepPlan> plan;                   // In the order of the steps.
  std::map<std::string, std::string> versions;  // Of the programs: "kernelmill", "torch", …
  // Whether rows were made from problems of a protected benchmark. manifest.json says so only if it
  // is true.
  bool contaminated = false;
  std::vector<FileEntry> files;                 // Every file but manifest.json, sorted by path.

  // SHA-256 over the canonical JSON of everything above.
  Digest ManifestDigest() const;

  // The bytes of manifest.json. One manifest has one encoding.
  std::string Encode() const;
  // kCorrupt unless Encode() of the result gives exactly `bytes`, the manifest's own digest included.
  static Result<DatasetManifest> Decode(std::string_view bytes);

  friend bool operator==(const DatasetManifest&, const DatasetManifest&) = default;
};

}  // namespace kernelmill
