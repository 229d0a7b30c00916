#include "stages/engine/entry_store.h"

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "stages/engine/cache_pruning.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// A file holds this, a line break, and the bytes.
std::string SealOf(const std::string& key, std::string_view bytes) {
  return Sha256().Field("entry 1").Field(key).Field(bytes).Finish().Hex();
}

}  // namespace

Result<EntryStore> EntryStore::Open(const fs::path& folder, std::int64_t max_bytes) {
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  KM_RETURN_IF_ERROR(PruneCache(folder, max_bytes));
  return EntryStore(folder);
}

fs::path EntryStore::PathOf(const std::string& key, std::string_view suffix) const {
  return folder_ / key.substr(0, 2) / (key + std::string(suffix));
}

std::optional<std::string> EntryStore::Find(const std::string& key, std::string_view suffix) const {
  const fs::path path = PathOf(key, suffix);
  Result<std::string> text = ReadFile(path);
  if (!text.ok()) return std::nullopt;
  const std::string_view content = *text;
  const std::size_t end = content.find('\n');
  if (end == content.npos || content.substr(0, end) != SealOf(key, content.substr(end + 1))) {
    return std::nullopt;
  }
  MarkUsed(path);
  text->erase(0, end + 1);
  return *std::move(text);
}

Status EntryStore::Keep(const std::string& key, std::string_view suffix,
                        std::string_view bytes) const {
  const fs::path path = PathOf(key, suffix);
  const auto keep = [&]() -> Status {
    KM_RETURN_IF_ERROR(MakeFolders(path.parent_path()));
    return ReplaceFile(path, (SealOf(key, bytes) + "\n").append(bytes));
  };
  const Status status = keep();
  // Somebody may have removed the folder in between.
  return status.ok() ? status : keep();
}

}  // namespace kernelmill
