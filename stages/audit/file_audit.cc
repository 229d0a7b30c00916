#include "stages/audit/file_audit.h"

#include "manifests/dataset_listing.h"

namespace kernelmill {

Result<FileAudit> AuditFiles(const std::string& folder, const DatasetManifest& manifest,
                             std::vector<AuditFinding>* findings) {
  FileAudit audit;
  KM_ASSIGN(const DatasetListing listing, ListDataset(folder));
  // Only files of the listing are opened, because a path in the manifest may be hostile.
  std::set<std::string> unlisted(listing.files.begin(), listing.files.end());
  std::string last;
  for (const FileEntry& listed : manifest.files) {
    if (listed.path <= last) {
      findings->push_back({std::string(kManifestName), "",
                           "'files' names " + listed.path + " twice or out of order"});
      continue;
    }
    last = listed.path;
    if (unlisted.erase(listed.path) == 0) {
      findings->push_back({listed.path, "", "the manifest lists it, but it is missing"});
      continue;
    }
    const Result<FileEntry> found = FileEntry::Of(folder, listed.path);
    if (!found.ok()) {
      findings->push_back({listed.path, "", found.status().message()});
      audit.damaged.insert(listed.path);
      continue;
    }
    audit.bytes += found->size;
    if (*found == listed) {
      audit.intact.insert(listed.path);
      continue;
    }
    audit.damaged.insert(listed.path);
    findings->push_back({listed.path, "",
                         found->size != listed.size
                             ? "it has " + std::to_string(found->size) +
                                   " bytes, but the manifest says " + std::to_string(listed.size)
                             : "its SHA-256 is " + found->sha256.Hex() +
                                   ", but the manifest says " + listed.sha256.Hex()});
  }
  for (const std::string& path : unlisted) {
    findings->push_back({path, "", "the manifest does not list it"});
  }
  for (const std::string& path : listing.others) {
    findings->push_back({path, "", "it is neither a file nor a folder"});
  }
  return audit;
}

}  // namespace kernelmill
