// The audit of a published dataset: that every byte, record, count, licence and edge of lineage is
// what the manifest and the records say. Without a root kept elsewhere the best answer is
// "consistent": whoever rewrites everything can rewrite the manifest too.
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
  kDamaged,     // There are findings.
  kConsistent,  // Everything agrees with everything.
  kAuthentic,   // And with the root that was given.
};
std::string_view AuditVerdictName(AuditVerdict verdict);

struct AuditReport {
  AuditVerdict verdict = AuditVerdict::kDamaged;
  Digest merkle_root;  // As the manifest says.
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t records = 0;  // That were read and agree with their digests.
  std::int64_t rows = 0;
  // False when damage kept the root, the counts by kind, the lineage and the exports from being
  // checked.
  bool complete = false;
  std::vector<AuditFinding> findings;

  Json ToJson() const;
};

// kNotFound when the folder holds no manifest. What is wrong with the dataset is in the report.
Result<AuditReport> Audit(const std::string& folder, const AuditOptions& options);

}  // namespace kernelmill
