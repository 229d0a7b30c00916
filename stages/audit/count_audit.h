// Compares what the manifest and the configuration of a dataset say of the run with each other and
// with the records: the steps and their counts, the sources, and the licences that were allowed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "corpora/records/record.h"
#include "manifests/dataset_manifest.h"
#include "stages/audit/audit.h"
#include "stages/audit/dataset_configuration.h"

namespace kernelmill {

// Checks the steps of the manifest: each is known, has a plan and counts that add up, and one that
// takes only outputs of other steps takes no more than these.
void AuditSteps(const DatasetManifest& manifest, std::vector<AuditFinding>* findings);

// Follows the records of a dataset.
class CountAudit {
 public:
  // Takes the next record. `family` is that of a training record, otherwise empty.
  void Add(const Record& record, const std::string& family);
  // `folder`: of the dataset, whose list of near duplicates is read.
  void Finish(const std::string& folder, const DatasetManifest& manifest,
              const DatasetConfiguration& configuration,
              std::vector<AuditFinding>* findings) const;

 private:
  std::map<std::string, std::int64_t> families_;  // Rows.
  std::set<std::pair<std::string, std::string>> mined_;  // Origin::Source().
  std::set<std::string> supplied_;                       // Origin::url.
  bool generated_ = false;
  std::set<std::string> licences_;  // Of mined text, as SPDX expressions.
};

}  // namespace kernelmill
