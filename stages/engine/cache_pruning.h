// Keeps a cache on disk below a size: the caches of extensions and device reports, and the verdict
// store, call it when they are opened. A cache's entries are the files and folders in its
// subfolders with two-letter names.
#pragma once

#include <cstdint>
#include <filesystem>

#include "manifests/status.h"

namespace kernelmill {

// If the entries have more than `max_bytes` together, removes the least recently used ones until a
// tenth of `max_bytes` is free. Entries that were used in the last hour stay, because a process may
// be about to use them, and so do young temporary files. One process at a time prunes a folder, and
// nothing happens in the ten minutes after that.
Status PruneCache(const std::filesystem::path& folder, std::int64_t max_bytes);

// Records that an entry is used now.
void MarkUsed(const std::filesystem::path& entry);

}  // namespace kernelmill
