// Removes sources, licences, tasks or records from a published dataset, for the command `purge`.
//
// Whether a record is in a dataset, and what its row weighs, depends on all sources: near
// duplicates hide each other, limits and caps choose, plans name the inputs of each step. So what
// is left is not cut out of the old dataset: the run is done again from the configuration that the
// dataset publishes without what is to go, at the commits that it names. No byte of the old dataset
// enters the result.
//
// Of an SFT dataset, repositories and licences leave the configuration: the result is by
// construction what a run makes that never named them. Records, tasks, and all that goes from a
// dataset of samples, whose files name the tasks, are left out by exclude_records
// (stages/publishable/excluded_records.h), which holds hashes of their content_ids: they are left
// out from the first step that makes them on, with all that is made from them, and the counts of
// the manifest say how many.
//
// That needs the other sources, in the cache or where the configuration says, and the same build of
// kernelmill and torch for a result that is equal byte for byte to such a run; it does not need the
// source that goes. Verdicts are taken from the store, so kernels are not judged again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/recipes/dataset_build.h"

namespace kernelmill {

struct PurgeRequest {
  std::vector<std::string> repositories;       // URLs of sources, as the configuration names them.
  std::vector<std::string> licences;           // SPDX identifiers that no source may be used under.
  std::vector<std::string> tasks;              // Content_ids, or unique beginnings of them.
  std::vector<std::string> records;            // The same, of records of any kind.
  std::string reason;                          // For the certificate; may be empty.
  std::map<std::string, std::string> sources;  // RederiveOptions::sources.

  bool empty() const {
    return repositories.empty() && licences.empty() && tasks.empty() && records.empty();
  }
};

// What went, as the certificate says it.
struct PurgeReport {
  Json certificate;
  // Of the certificate: beside the dataset, because the dataset must not name it.
  std::string path;
  std::int64_t removed = 0;
};

// Builds the dataset in `folder` again in `options.output` without what `request` names, and writes
// the certificate to CertificatePath() (removal_list.h). kUsage when the dataset has no such
// source, licence or record, or is one of samples that goes on with the retry buffer of a round
// before.
Result<PurgeReport> Purge(const std::string& folder, const PurgeRequest& request,
                          const BuildOptions& options);

}  // namespace kernelmill
