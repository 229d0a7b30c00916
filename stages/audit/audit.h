// Audits a published dataset: every byte, record, count, licence and edge of lineage must be what
// the manifest and the records say. Without a root that was kept elsewhere the best verdict is
// "consistent", because whoever rewrites everything can rewrite the manifest too.
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
  std::string record;  // "record 17 (<content_id>)", "row 3", or empty where it is about the file.
  std::string what;

  Json ToJson() const;
  friend bool operator==(const AuditFinding&, const AuditFinding&) = default;
};

enum class AuditVerdict {
  kDamaged,         // Something does not agree with something else.
  kConsistent,      // Everything agrees with everything; no root was given.
  kAuthentic,       // Everything agrees with everything and with the root that was given.
  kAnotherDataset,  // Everything agrees with everything, but not with the root that was given.
};
std::string_view AuditVerdictName(AuditVerdict verdict);

struct AuditReport {
  AuditVerdict verdict = AuditVerdict::kDamaged;
  Digest merkle_root;  // As the manifest says.
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t records = 0;  // That were read and agree with their digests.
  std::int64_t rows = 0;
  // False when damage prevented the checks of root, counts by kind, lineage and exports.
  bool complete = false;
  std::vector<AuditFinding> findings;

  Json ToJson() const;
};

// kNotFound when the folder holds no manifest. What is wrong with the dataset is in the report.
Result<AuditReport> Audit(const std::string& folder, const AuditOptions& options);

}  // namespace kernelmill
