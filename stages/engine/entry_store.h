// A cache on disk of bytes by key, below .cache of the checkout: one file for each entry, written
// atomically and sealed with a hash, so that what was damaged or cut counts as absent. Threads,
// programs and machines may share a folder, and it may be deleted at any time. The verdict store
// and the outcome store keep their entries in one. Machines without a folder that all see share
// entries through an object store (shared_entries.h): what is found there is kept in the folder
// too, and what is in the folder is known to be there. A seal stops damage, and not somebody who
// may write to the folder: who can do that is trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/status.h"
#include "stages/engine/shared_entries.h"

namespace kernelmill {

class EntryStore {
 public:
  // Creates the folder unless it is there. Beyond `max_bytes` the entries that were not used for
  // longest are removed (PruneCache()). `shared` may be null.
  static Result<EntryStore> Open(const std::filesystem::path& folder, std::int64_t max_bytes,
                                 std::shared_ptr<const SharedEntries> shared = nullptr);

  // The file of an entry, in a subfolder named by the first two letters of its key, a hash in hex.
  std::filesystem::path PathOf(const std::string& key, std::string_view suffix) const;
  // The bytes under a key; nothing if there are none or they are not those that were kept. An error
  // only if an object store that entries are shared through does not answer.
  Result<std::optional<std::string>> Find(const std::string& key, std::string_view suffix) const;
  // The same in the folder alone, at once.
  std::optional<std::string> FindHere(const std::string& key, std::string_view suffix) const;
  // Replaces what is under the key; it is durable when this returns. What other machines have
  // shared first is not replaced.
  Status Keep(const std::string& key, std::string_view suffix, std::string_view bytes) const;

  const std::shared_ptr<const SharedEntries>& shared() const { return shared_; }

 private:
  EntryStore(std::filesystem::path folder, std::shared_ptr<const SharedEntries> shared)
      : folder_(std::move(folder)), shared_(std::move(shared)) {}
  // Shares the content of an entry's file, and marks the entry as shared.
  Status Share(const std::string& key, std::string_view suffix, const std::string& content) const;
  // Writes an entry's file.
  Status Write(const std::filesystem::path& path, std::string_view content) const;
  // The file that says that an entry is shared.
  std::filesystem::path MarkOf(const std::string& key, std::string_view suffix) const;

  std::filesystem::path folder_;
  std::shared_ptr<const SharedEntries> shared_;
};

}  // namespace kernelmill
