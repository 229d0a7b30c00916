// The objects of a dataset that was uploaded: NAME/manifest.json, NAME/shards/… and so on, as in
// its folder, and the claim beside it.
#pragma once

#include <cstddef>
#include <string>

#include "corpora/objects/object_address.h"
#include "manifests/status.h"

namespace kernelmill {

inline constexpr std::size_t kMostManifestBytes = std::size_t{1} << 30;

// The object that says, by a manifest_digest, which dataset the name is for.
ObjectAddress ClaimOf(const ObjectAddress& dataset);

// kCorrupt, with `dataset` in the message, if a path of a manifest, or the name of an object,
// cannot be that of a file of a dataset: it would lie outside, or be what a dataset has besides its
// files.
Status CheckObjectPath(const std::string& dataset, const std::string& path);

}  // namespace kernelmill
