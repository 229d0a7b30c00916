// Audits a published dataset for the command `audit`: every byte, record, count, licence and edge
// of lineage must agree with the manifest and the records. Only reads the folder. The best result
// is "consistent" unless the caller passes a Merkle root that was kept elsewhere, because whoever
// rewrites the records can rewrite the manifest too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

struct AuditOptions {
  std::optional<Digest> root;  // The Merkle root that the dataset should have.
};

struct AuditFinding {
  std::string file;    // Relative to the dataset.
  std::string record;  // "record 17 (<content_id>)", "row 3"; empty if it is about the file.
  std::string what;

  Json ToJson() const;
  friend bool operator==(const AuditFinding&, const AuditFinding&) = default;
};

enum class AuditResult {
  kDamaged,         // Some parts of the dataset disagree.
  kConsistent,      // All parts agree; no root was given.
  kAuthentic,       // All parts agree, and the root is the given one.
  kAnotherDataset,  // All parts agree, but the root is not the given one.
};
std::string_view AuditResultName(AuditResult result);

struct AuditReport {
  AuditResult result = AuditResult::kDamaged;
  Digest merkle_root;  // The root in the manifest.
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t records = 0;  // Records that agree with their digests.
  std::int64_t rows = 0;
  // False when damage prevented the checks of root, counts by kind, lineage and exports.
  bool complete = false;
  std::vector<AuditFinding> findings;

  Json ToJson() const;
};

// kNotFound when the folder holds no manifest. What is wrong with the dataset is in the report.
Result<AuditReport> Audit(const std::string& folder, const AuditOptions& options);

}  // namespace kernelmill
