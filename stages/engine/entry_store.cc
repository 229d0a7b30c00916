#include "stages/engine/entry_store.h"

#include <utility>

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "stages/engine/cache_pruning.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDamaged =
    "its bytes are damaged, so it is not used; remove the object, and this machine's result takes "
    "its place the next time";
constexpr std::string_view kAnother =
    "another machine has kept another result under the same key; this machine goes on with its own";

// A file holds this, a line break, and the bytes.
std::string SealOf(const std::string& key, std::string_view bytes) {
  return Sha256().Field("entry 1").Field(key).Field(bytes).Finish().Hex();
}

// The content of a file with these bytes.
std::string Sealed(const std::string& key, std::string_view bytes) {
  return (SealOf(key, bytes) + "\n").append(bytes);
}

// The bytes in the content of a file; nothing if they are not those that were kept.
std::optional<std::string_view> Unsealed(const std::string& key, std::string_view content) {
  const std::size_t end = content.find('\n');
  if (end == content.npos) return std::nullopt;
  const std::string_view bytes = content.substr(end + 1);
  if (content.substr(0, end) != SealOf(key, bytes)) return std::nullopt;
  return bytes;
}

// The name of an entry below the folder, and in an object store.
std::string NameOf(const std::string& key, std::string_view suffix) {
  return key.substr(0, 2) + "/" + key + std::string(suffix);
}

}  // namespace

Result<EntryStore> EntryStore::Open(const fs::path& folder, std::int64_t max_bytes,
                                    std::shared_ptr<const SharedEntries> shared) {
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  KM_RETURN_IF_ERROR(PruneCache(folder, max_bytes));
  return EntryStore(folder, std::move(shared));
}

fs::path EntryStore::PathOf(const std::string& key, std::string_view suffix) const {
  return folder_ / NameOf(key, suffix);
}

fs::path EntryStore::MarkOf(const std::string& key, std::string_view suffix) const {
  return PathOf(key, std::string(suffix) + ".shared-" + shared_->Mark());
}

std::optional<std::string> EntryStore::FindHere(const std::string& key,
                                                std::string_view suffix) const {
  const fs::path path = PathOf(key, suffix);
  const Result<std::string> content = ReadFile(path);
  if (!content.ok()) return std::nullopt;
  const std::optional<std::string_view> bytes = Unsealed(key, *content);
  if (!bytes) return std::nullopt;
  MarkUsed(path);
  return std::string(*bytes);
}

Result<std::optional<std::string>> EntryStore::Find(const std::string& key,
                                                    std::string_view suffix) const {
  std::optional<std::string> here = FindHere(key, suffix);
  if (!shared_) return here;
  if (here) {
    std::error_code error;
    if (!fs::exists(MarkOf(key, suffix), error)) {
      // It was kept before it could be shared. Others may wait for it.
      KM_RETURN_IF_ERROR(Share(key, suffix, Sealed(key, *here)));
    }
    return here;
  }
  KM_ASSIGN(const std::optional<std::string> content, shared_->Find(NameOf(key, suffix)));
  if (!content) return here;
  const std::optional<std::string_view> bytes = Unsealed(key, *content);
  if (!bytes) {
    shared_->Complain(NameOf(key, suffix), kDamaged);
    return here;
  }
  KM_RETURN_IF_ERROR(Write(PathOf(key, suffix), *content));
  KM_RETURN_IF_ERROR(Write(MarkOf(key, suffix), ""));
  return std::optional<std::string>(*bytes);
}

Status EntryStore::Keep(const std::string& key, std::string_view suffix,
                        std::string_view bytes) const {
  const std::string content = Sealed(key, bytes);
  // First for the others, so that what is in the folder never keeps them waiting.
  if (shared_) KM_RETURN_IF_ERROR(Share(key, suffix, content));
  return Write(PathOf(key, suffix), content);
}

Status EntryStore::Share(const std::string& key, std::string_view suffix,
                         const std::string& content) const {
  const std::string name = NameOf(key, suffix);
  KM_ASSIGN(const std::string there, shared_->Keep(name, content));
  if (!Unsealed(key, there)) {
    shared_->Complain(name, kDamaged);
    return Status::Ok();  // Without a mark, so that it is shared when the object is gone.
  }
  if (there != content) shared_->Complain(name, kAnother);
  return Write(MarkOf(key, suffix), "");
}

Status EntryStore::Write(const fs::path& path, std::string_view content) const {
  const auto write = [&]() -> Status {
    KM_RETURN_IF_ERROR(MakeFolders(path.parent_path()));
    return ReplaceFile(path, content);
  };
  const Status status = write();
  // Somebody may have removed the folder in between.
  return status.ok() ? status : write();
}

}  // namespace kernelmill
