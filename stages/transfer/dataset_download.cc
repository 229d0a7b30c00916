#include "stages/transfer/dataset_download.h"

#include <filesystem>
#include <set>

#include "manifests/commit_file.h"
#include "manifests/dataset_listing.h"
#include "manifests/dataset_manifest.h"
#include "stages/transfer/dataset_objects.h"
#include "stages/transfer/file_transfers.h"
#include "stages/transfer/hashed_object.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

Result<std::string> ReadManifestObject(const ObjectAddress& address, const ObjectStore& store) {
  KM_ASSIGN(std::optional<std::string> bytes,
            store.Read(address.Below(kManifestName), kMostManifestBytes));
  if (bytes) return *std::move(bytes);
  return Status(ErrorCode::kNotFound, address.Text() + " has no " + std::string(kManifestName) +
                                          ": there is no dataset, or its upload has not ended");
}

Status CheckPaths(const ObjectAddress& address, const DatasetManifest& manifest) {
  const std::string* last = nullptr;
  for (const FileEntry& file : manifest.files) {
    KM_RETURN_IF_ERROR(CheckObjectPath(address.Text(), file.path));
    if (file.size < 0 || (last != nullptr && file.path <= *last)) {
      return Status(ErrorCode::kCorrupt, address.Text() + ": its manifest lists " + file.path +
                                             " twice, out of order or without a size");
    }
    last = &file.path;
  }
  return Status::Ok();
}

std::set<std::string> PathsOf(const DatasetManifest& manifest) {
  std::set<std::string> paths;
  for (const FileEntry& file : manifest.files) paths.insert(file.path);
  return paths;
}

// Refuses a folder that holds what is no part of the dataset, and removes files of a download that
// was cut off.
Status CheckFolder(const std::string& folder, const DatasetManifest& manifest,
                   const std::string& bytes) {
  std::error_code error;
  if (!fs::exists(folder, error)) return Status::Ok();
  const auto refused = [&](const std::string& path, const std::string& why) {
    return Status(ErrorCode::kExists,
                  folder + "/" + path + " " + why + "; name a new folder with --output");
  };
  const std::string manifest_path = folder + "/" + std::string(kManifestName);
  const Result<std::string> there = ReadFile(manifest_path);
  if (there.ok() && *there != bytes) {
    return refused(std::string(kManifestName), "is of another dataset");
  }
  if (!there.ok() && there.status().code() != ErrorCode::kNotFound) return there.status();
  KM_ASSIGN(const DatasetListing listing, ListDataset(folder));
  if (!listing.others.empty()) return refused(listing.others.front(), "is no file");
  const std::set<std::string> paths = PathsOf(manifest);
  for (const std::string& path : listing.files) {
    if (IsTemporaryPath(path)) {
      fs::remove(folder + "/" + path, error);
      continue;
    }
    if (!paths.contains(path)) return refused(path, "is no part of the dataset");
  }
  return Status::Ok();
}

Result<bool> FetchFile(const ObjectAddress& address, const std::string& folder,
                       const ObjectStore& store, const FileEntry& file) {
  const std::string path = folder + "/" + file.path;
  const ObjectAddress object = address.Below(file.path);
  std::error_code error;
  if (fs::exists(path, error)) {
    KM_ASSIGN(const FileEntry found, FileEntry::Of(folder, file.path));
    if (found == file) return false;
    return Status(ErrorCode::kExists,
                  path +
                      " has other bytes than the dataset's file; remove it, or name a new folder "
                      "with --output");
  }
  KM_RETURN_IF_ERROR(MakeFolders(FolderOf(path)));
  HashedObject hashed(object.Text(), file.size, path);
  KM_ASSIGN(const bool there, store.Read(object, &hashed));
  if (!there) {
    return Status(ErrorCode::kCorrupt,
                  object.Text() + ": the manifest lists it, but it is missing");
  }
  const Digest digest = hashed.Finish();
  if (hashed.size() != file.size || digest != file.sha256) {
    return Status(ErrorCode::kCorrupt, object.Text() + ": it has " + std::to_string(hashed.size()) +
                                           " bytes with the SHA-256 " + digest.Hex() +
                                           ", and the manifest lists " + std::to_string(file.size) +
                                           " with " + file.sha256.Hex());
  }
  const Status committed = hashed.Commit();
  // Another process may download to the same folder. What it has written was compared as well.
  if (committed.code() == ErrorCode::kExists) return false;
  KM_RETURN_IF_ERROR(committed);
  return true;
}

// Copies an object as it is, or makes an empty file of its name. `file` has its size, and a SHA-256
// only if the manifest lists it.
Result<bool> CopyFile(const ObjectAddress& address, const std::string& folder,
                      const ObjectStore& store, const FileEntry& file, bool is_listed) {
  const std::string path = folder + "/" + file.path;
  KM_RETURN_IF_ERROR(MakeFolders(FolderOf(path)));
  if (!is_listed) {
    KM_RETURN_IF_ERROR(CommitFile(path, ""));
    return true;
  }
  const ObjectAddress object = address.Below(file.path);
  HashedObject copied(object.Text(), file.size, path);
  KM_ASSIGN(const bool there, store.Read(object, &copied));
  if (there) KM_RETURN_IF_ERROR(copied.Commit());
  return there;
}

}  // namespace

Result<DownloadReport> DownloadDataset(const ObjectAddress& address, const std::string& folder,
                                       const ObjectStore& store, int at_once) {
  KM_ASSIGN(const std::string bytes, ReadManifestObject(address, store));
  const Result<DatasetManifest> manifest = DatasetManifest::Decode(bytes);
  if (!manifest.ok()) return manifest.status().Within(address.Text());
  KM_RETURN_IF_ERROR(CheckPaths(address, *manifest));
  KM_RETURN_IF_ERROR(CheckFolder(folder, *manifest, bytes));
  KM_RETURN_IF_ERROR(MakeFolders(folder));
  KM_ASSIGN(const TransferCounts counts,
            MoveFiles("download", manifest->files, at_once, [&](const FileEntry& file) {
              return FetchFile(address, folder, store, file);
            }));
  const Status status = CommitFile(folder + "/" + std::string(kManifestName), bytes);
  if (!status.ok() && status.code() != ErrorCode::kExists) return status;
  return DownloadReport{
      .manifest_digest = manifest->ManifestDigest(),
      .files = static_cast<std::int64_t>(manifest->files.size()) + 1,
      .downloaded = counts.moved + (status.ok() ? 1 : 0),
      .bytes = counts.bytes + (status.ok() ? static_cast<std::int64_t>(bytes.size()) : 0)};
}

Status CopyForAudit(const ObjectAddress& address, const std::string& folder,
                    const ObjectStore& store, int at_once) {
  KM_ASSIGN(const std::string bytes, ReadManifestObject(address, store));
  KM_ASSIGN(const std::vector<ListedObject> objects, store.List(address));
  KM_RETURN_IF_ERROR(CommitFile(folder + "/" + std::string(kManifestName), bytes));
  const Result<DatasetManifest> manifest = DatasetManifest::Decode(bytes);
  const std::set<std::string> listed = manifest.ok() ? PathsOf(*manifest) : std::set<std::string>();
  std::vector<FileEntry> files;
  for (const ListedObject& object : objects) {
    if (object.name == kManifestName) continue;
    KM_RETURN_IF_ERROR(CheckObjectPath(address.Text(), object.name));
    files.push_back({.path = object.name, .size = object.size});
  }
  return MoveFiles("copy", files, at_once,
                   [&](const FileEntry& file) {
                     return CopyFile(address, folder, store, file, listed.contains(file.path));
                   })
      .status();
}

}  // namespace kernelmill
