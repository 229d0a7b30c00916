// Audits a published dataset for the command `audit`: every byte, record, count, licence and edge
// of lineage must agree with the manifest and the records; the list of files, exports, weights, card
// and report are made again from the records. Only reads the folder. The best result is "consistent"
// unless the caller passes a digest that was kept elsewhere, because whoever rewrites the records can
// rewrite the manifest too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/statistics/source_list.h"
#include "generators/dataset_pages/dataset_description.h"
#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

struct AuditOptions {
  // What was kept of the dataset: the digest of its manifest, which covers every file, or the Merkle
  // root, which covers the records.
  std::optional<Digest> root;
};

struct AuditFinding {
  std::string file;    // Relative to the dataset.
  // "record 17 (<content_id>)", "row 3", "line 12"; empty if it is about the file.
  std::string record;
  std::string what;

  Json ToJson() const;
  friend bool operator==(const AuditFinding&, const AuditFinding&) = default;
};

enum class AuditResult {
  kDamaged,     // Some parts of the dataset disagree.
  kConsistent,  // All parts agree; no root was given.
  // All parts agree, and the manifest is the one with the given digest, or the one that is signed.
  kAuthentic,
  // All parts agree, and the given digest is the Merkle root. What does not follow from the
  // records, such as counts of rejects, could have been changed.
  kSameRecords,
  kAnotherDataset,  // All parts agree, but the given digest is neither.
};
std::string_view AuditResultName(AuditResult result);

// What the records of a dataset make, besides its files.
struct AuditedContent {
  DatasetDescription description;
  SourceList sources;
};

struct AuditReport {
  AuditResult result = AuditResult::kDamaged;
  Digest manifest_digest;  // DatasetManifest::ManifestDigest().
  Digest merkle_root;      // The root in the manifest.
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t records = 0;  // Records that agree with their digests.
  std::int64_t rows = 0;
  // False when damage prevented the checks of root, counts by kind, lineage and exports.
  bool complete = false;
  std::vector<AuditFinding> findings;
  // SigningKey::Id() of the key whose signature was asked for and is right (attestation_audit.h).
  std::string signed_by;
  std::optional<AuditedContent> content;  // Absent when damage prevented it. Not in JSON.

  Json ToJson() const;
};

// kNotFound when the folder holds no manifest. What is wrong with the dataset is in the report.
Result<AuditReport> Audit(const std::string& folder, const AuditOptions& options);

}  // namespace kernelmill
