// The first part of an audit (audit.h): compares the files in a dataset's folder with the
// manifest's list by size and hash. Files that are missing, unlisted or different become
// `findings`; the later parts read only what is there.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "manifests/dataset_manifest.h"
#include "stages/audit/audit.h"

namespace kernelmill {

struct FileAudit {
  std::set<std::string> intact;   // Size and hash are as listed.
  std::set<std::string> damaged;  // There, but not as listed.
  std::int64_t bytes = 0;

  bool IsThere(const std::string& path) const {
    return intact.contains(path) || damaged.contains(path);
  }
};

Result<FileAudit> AuditFiles(const std::string& folder, const DatasetManifest& manifest,
                             std::vector<AuditFinding>* findings);

}  // namespace kernelmill
