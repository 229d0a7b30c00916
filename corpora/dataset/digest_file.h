// Random access to a record shard's .digests file: pairs (content_id, record_digest), sorted by
// content_id. DatasetReader finds a record by it (corpora/dataset/dataset_layout.h has the format).
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
  // kCorrupt, with the file name, when the file ends within an entry.
  static Result<DigestFile> Open(const std::string& path);

  std::uint64_t count() const { return count_; }
  // Requires index < count().
  Result<DigestEntry> At(std::uint64_t index);
  // The index of the first entry whose content_id is at least `id`; count() when there is none.
  Result<std::uint64_t> LowerBound(const Digest& id);

 private:
  std::string path_;
  std::ifstream file_;
  std::uint64_t count_ = 0;
};

}  // namespace kernelmill
