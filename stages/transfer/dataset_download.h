// Downloads a dataset from an object store to a folder. manifest.json is written last, so that a
// folder with a part of the files is no dataset; the same command goes on with it. The manifest and
// the objects may be hostile: nothing outside of the folder is written, and no object with other
// bytes than the manifest lists.
#pragma once

#include <cstdint>
#include <string>

#include "corpora/objects/object_address.h"
#include "manifests/digest.h"
#include "stages/engine/object_store.h"

namespace kernelmill {

struct DownloadReport {
  Digest manifest_digest;
  std::int64_t files = 0;       // Of the dataset, manifest.json included.
  std::int64_t downloaded = 0;  // The rest was there already, with the same bytes.
  std::int64_t bytes = 0;       // Of what was downloaded.
};

// kNotFound when there is no dataset, kCorrupt when an object is missing or not the one that the
// manifest lists, kExists when the folder holds something else.
Result<DownloadReport> DownloadDataset(const ObjectAddress& address, const std::string& folder,
                                       const ObjectStore& store, int at_once);

// Fills a new folder with what is there, right or wrong, for an audit of it: objects that the
// manifest lists as they are, and an empty file for each object that it does not list. kCorrupt
// only if an object's name cannot be that of a file.
Status CopyForAudit(const ObjectAddress& address, const std::string& folder,
                    const ObjectStore& store, int at_once);

}  // namespace kernelmill
