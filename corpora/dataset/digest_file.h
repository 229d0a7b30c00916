// The .digests file beside a shard, read entry by entry (corpora/dataset/dataset_layout.h).
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "corpora/dataset/dataset_layout.h"
#include "manifests/status.h"

namespace kernelmill {

// Not thread-safe.
class DigestFile {
 public:
  // kCorrupt, naming the file, when it ends within an entry.
  static Result<DigestFile> Open(const std::string& path);

  std::uint64_t count() const { return count_; }
  // `index` < count().
  Result<DigestEntry> At(std::uint64_t index);
  // The first entry whose content_id is not below `id`; count() when all are.
  Result<std::uint64_t> LowerBound(const Digest& id);

 private:
  std::string path_;
  std::ifstream file_;
  std::uint64_t count_ = 0;
};

}  // namespace kernelmill
