// A cache on disk of bytes by key, below .cache of the checkout: one file for each entry, written
// atomically and sealed with a hash, so that what was damaged or cut counts as absent. Threads,
// programs and machines may share a folder, and it may be deleted at any time. The verdict store
// and the outcome store keep their entries in one.
// A seal stops damage, and not somebody who may write to the folder: who can do that is trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

class EntryStore {
 public:
  // Creates the folder unless it is there. Beyond `max_bytes` the entries that were not used for
  // longest are removed (PruneCache()).
  static Result<EntryStore> Open(const std::filesystem::path& folder, std::int64_t max_bytes);

  // The file of an entry, in a subfolder named by the first two letters of its key, a hash in hex.
  std::filesystem::path PathOf(const std::string& key, std::string_view suffix) const;
  // The bytes under a key; nothing if there are none or they are not those that were kept.
  std::optional<std::string> Find(const std::string& key, std::string_view suffix) const;
  // Replaces what is under the key; it is durable when this returns.
  Status Keep(const std::string& key, std::string_view suffix, std::string_view bytes) const;

 private:
  explicit EntryStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

}  // namespace kernelmill
