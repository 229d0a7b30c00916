// Keeps a cache on disk within bounds. Its entries are what lies in subfolders with two-letter
// names: files, or folders with files in them.
#pragma once

#include <cstdint>
#include <filesystem>

#include "manifests/status.h"

namespace kernelmill {

// Removes entries when together they have more than `max_bytes`: those whose use is longest ago,
// until a tenth of the bound is free. What was used in the last hour stays, for somebody may be
// about to use it again, and so do young temporaries. Of several processes one does it.
Status PruneCache(const std::filesystem::path& folder, std::int64_t max_bytes);

// Notes that an entry is used.
void MarkUsed(const std::filesystem::path& entry);

}  // namespace kernelmill
