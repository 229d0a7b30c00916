// Uploads a published dataset to an object store, so that no reader ever sees a part of it: every
// file is an object that is created once and never replaced, and manifest.json, without which there
// is no dataset, comes last.
//
// The object NAME.claim beside the dataset is made first. It says which dataset NAME is for, so
// that of two that are uploaded under one name only one can begin. An upload that was cut off goes
// on.
#pragma once

#include <cstdint>
#include <string>

#include "corpora/objects/object_address.h"
#include "manifests/digest.h"
#include "stages/engine/object_store.h"

namespace kernelmill {

struct UploadReport {
  Digest manifest_digest;
  bool was_there = false;     // The whole dataset; then nothing was sent.
  std::int64_t files = 0;     // Of the dataset, manifest.json included.
  std::int64_t uploaded = 0;  // The rest was there already, with the same bytes.
  std::int64_t bytes = 0;     // Of what was uploaded.
};

// kExists, with the name of an object, when another dataset is there or has begun to be; kCorrupt
// when a file is not the one that the manifest lists; kUsage when it is too large for one request.
Result<UploadReport> UploadDataset(const std::string& folder, const ObjectAddress& address,
                                   const ObjectStore& store, int at_once);

}  // namespace kernelmill
