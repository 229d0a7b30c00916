// Makes everything that follows from the records of a dataset again, and compares it with what was
// published: counts, the closed list of files, the mixture and the weights of rows, the card, the
// report and the scores. RecordAudit (record_audit.h) hands every sound record to it.
#pragma once

#include <string>
#include <vector>

#include "corpora/dataset/row.h"
#include "corpora/records/record.h"
#include "corpora/statistics/dataset_statistics.h"
#include "manifests/dataset_manifest.h"
#include "stages/audit/audit.h"
#include "stages/audit/count_audit.h"
#include "stages/audit/dataset_configuration.h"
#include "stages/mix/mixture_check.h"
#include "stages/pack/dataset_writer.h"
#include "stages/publishable/attribution.h"
#include "stages/samples/run_tasks.h"

namespace kernelmill {

class DerivedAudit {
 public:
  // Uses `configuration` until Finish().
  DerivedAudit(std::string folder, const DatasetConfiguration& configuration)
      : folder_(std::move(folder)), configuration_(configuration) {}

  // The next record, in content_id order. `row` is null unless it is a training record. `file` and
  // `name` are its place, for findings.
  Status Add(const Record& record, const Row* row, const std::string& file,
             const std::string& name);
  // Compares, and returns what it has made, unless a file that it needs is damaged. `packed` is
  // what the records of the shards are.
  std::optional<AuditedContent> Finish(const DatasetManifest& manifest, const PackedRecords& packed,
                                       std::vector<AuditFinding>* findings);

 private:
  std::string folder_;
  const DatasetConfiguration& configuration_;
  DatasetStatistics statistics_;
  CountAudit counts_;
  Attribution attribution_;
  SourceList sources_;
  MixtureCheck mixture_;
  RunTasks tasks_;                                           // Of a dataset of samples.
  std::vector<std::pair<std::string, std::string>> places_;  // Of rows: file, name.
};

// Adds a finding for each path that the manifest lists and a dataset does not have, and for each
// that is missing from it. `files`: PublishedFiles(), sorted.
void AuditPaths(const DatasetManifest& manifest, const std::vector<std::string>& files,
                std::vector<AuditFinding>* findings);

}  // namespace kernelmill
