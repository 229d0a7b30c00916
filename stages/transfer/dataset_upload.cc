#include "stages/transfer/dataset_upload.h"

#include <algorithm>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/dataset_listing.h"
#include "manifests/dataset_manifest.h"
#include "stages/transfer/dataset_objects.h"
#include "stages/transfer/file_transfers.h"
#include "stages/transfer/hashed_object.h"

namespace kernelmill {
namespace {

class Upload {
 public:
  Upload(const std::string& folder, const ObjectAddress& address, const ObjectStore& store)
      : folder_(folder), address_(address), store_(store) {}

  Result<UploadReport> Run(int at_once) {
    KM_RETURN_IF_ERROR(ReadManifest());
    UploadReport report{.manifest_digest = manifest_.ManifestDigest(),
                        .files = static_cast<std::int64_t>(manifest_.files.size()) + 1};
    KM_ASSIGN(report.was_there, IsThere());
    if (report.was_there) return report;
    KM_RETURN_IF_ERROR(CheckFiles());
    KM_RETURN_IF_ERROR(Claim());
    KM_ASSIGN(const TransferCounts counts,
              MoveFiles("upload", manifest_.files, at_once,
                        [this](const FileEntry& file) { return Move(file); }));
    const ObjectAddress manifest = address_.Below(kManifestName);
    KM_ASSIGN(const bool created, store_.Create(manifest, bytes_));
    if (!created) {
      KM_ASSIGN(const bool equal, IsThere());
      if (!equal) return Status(ErrorCode::kUnreachable, manifest.Text() + " comes and goes");
    }
    report.uploaded = counts.moved + (created ? 1 : 0);
    report.bytes = counts.bytes + (created ? static_cast<std::int64_t>(bytes_.size()) : 0);
    return report;
  }

 private:
  Status ReadManifest() {
    const std::string path = folder_ + "/" + std::string(kManifestName);
    Result<std::string> bytes = ReadFile(path);
    if (bytes.status().code() == ErrorCode::kNotFound) {
      return Status(ErrorCode::kNotFound, folder_ + " holds no " + std::string(kManifestName) +
                                              ": it is no dataset, or its run has not ended");
    }
    KM_ASSIGN(bytes_, std::move(bytes));
    Result<DatasetManifest> manifest = DatasetManifest::Decode(bytes_);
    if (!manifest.ok()) return manifest.status().Within(folder_);
    manifest_ = *std::move(manifest);
    return Status::Ok();
  }

  // Whether this dataset is there already. kExists if another one is.
  Result<bool> IsThere() {
    const ObjectAddress manifest = address_.Below(kManifestName);
    KM_ASSIGN(const std::optional<std::string> there, store_.Read(manifest, kMostManifestBytes));
    if (!there) return false;
    if (*there == bytes_) return true;
    const Result<DatasetManifest> other = DatasetManifest::Decode(*there);
    return Status(ErrorCode::kExists,
                  manifest.Text() + ": " +
                      (other.ok() ? "another dataset is there, with the digest " +
                                        other->ManifestDigest().Hex()
                                  : "something else is there") +
                      "; nothing is replaced, so choose another name");
  }

  // Compares the folder with the manifest by names and sizes, before anything is sent.
  Status CheckFiles() {
    constexpr std::string_view kAdvice = "; kernelmill audit says what is wrong with a dataset";
    KM_ASSIGN(const DatasetListing listing, ListDataset(folder_));
    std::vector<std::string> listed;
    for (const FileEntry& file : manifest_.files) {
      listed.push_back(file.path);
      KM_RETURN_IF_ERROR(CheckObjectPath(folder_, file.path));
      if (file.size <= kMostObjectBytes) continue;
      return Status(ErrorCode::kUsage,
                    folder_ + "/" + file.path + " has " + std::to_string(file.size) +
                        " bytes, and an object that is sent at once has at most 5 GiB: make the "
                        "dataset with a smaller pack.records_per_shard or "
                        "pack.rows_per_parquet_file");
    }
    if (!listing.others.empty()) {
      return Status(ErrorCode::kCorrupt, folder_ + "/" + listing.others.front() +
                                             " is neither a file nor a folder" +
                                             std::string(kAdvice));
    }
    std::sort(listed.begin(), listed.end());
    std::vector<std::string> different;
    std::set_symmetric_difference(listed.begin(), listed.end(), listing.files.begin(),
                                  listing.files.end(), std::back_inserter(different));
    if (different.empty()) return Status::Ok();
    const bool is_listed = std::binary_search(listed.begin(), listed.end(), different.front());
    return Status(ErrorCode::kCorrupt,
                  folder_ + "/" + different.front() +
                      (is_listed ? " is missing" : " is no file of the dataset") +
                      std::string(kAdvice));
  }

  // Makes sure that the name is for this dataset, and that the store keeps the first of two
  // writers.
  Status Claim() {
    const ObjectAddress claim = ClaimOf(address_);
    const std::string mine = manifest_.ManifestDigest().Hex() + "\n";
    KM_ASSIGN(const bool created, store_.Create(claim, mine));
    if (created) {
      KM_ASSIGN(const bool created_again, store_.Create(claim, mine));
      if (!created_again) return Status::Ok();
      return Status(ErrorCode::kEnvironment,
                    claim.Text() +
                        ": the object store has replaced an object in spite of If-None-Match, so "
                        "that one dataset could overwrite another; use a store that knows it");
    }
    goes_on_ = true;
    KM_ASSIGN(const std::optional<std::string> there, store_.Read(claim, mine.size()));
    if (there == mine) return Status::Ok();
    return Status(ErrorCode::kExists,
                  claim.Text() + ": the upload of another dataset has begun here" +
                      (there && there->size() == mine.size()
                           ? ", with the digest " + there->substr(0, mine.size() - 1)
                           : "") +
                      "; end it by the same command, or choose another name");
  }

  Result<bool> Move(const FileEntry& file) {
    const ObjectAddress object = address_.Below(file.path);
    const std::string path = folder_ + "/" + file.path;
    if (goes_on_) {
      KM_ASSIGN(const bool there, IsEqual(object, file));
      if (there) return false;
    }
    KM_ASSIGN(const FileEntry found, FileEntry::Of(folder_, file.path));
    if (found != file) {
      return Status(ErrorCode::kCorrupt,
                    path +
                        " is not the file that the manifest lists; kernelmill audit says what is "
                        "wrong with a dataset");
    }
    KM_ASSIGN(const bool created, store_.CreateOfFile(object, path, file.sha256));
    if (created) return true;
    KM_ASSIGN(const bool equal, IsEqual(object, file));
    if (!equal) return Status(ErrorCode::kUnreachable, object.Text() + " comes and goes");
    return false;
  }

  // Whether the object is there. kExists if it is another one.
  Result<bool> IsEqual(const ObjectAddress& object, const FileEntry& file) {
    KM_ASSIGN(const std::optional<ObjectStore::Facts> facts, store_.Look(object));
    if (!facts) return false;
    bool equal = facts->size < 0 || facts->size == file.size;
    if (equal && facts->sha256) {
      equal = *facts->sha256 == file.sha256;
    } else if (equal) {
      // The store does not tell, so it has to be read.
      HashedObject hashed(object.Text(), file.size);
      const Result<bool> read = store_.Read(object, &hashed);
      if (!read.ok() && read.status().code() != ErrorCode::kCorrupt) return read.status();
      if (read.ok() && !*read) return false;
      equal = read.ok() && hashed.Finish() == file.sha256;
    }
    if (equal) return true;
    return Status(ErrorCode::kExists, object.Text() +
                                          ": an object with other bytes is there; nothing is "
                                          "replaced, so choose another name, or remove it");
  }

  const std::string& folder_;
  const ObjectAddress& address_;
  const ObjectStore& store_;
  std::string bytes_;  // Of manifest.json.
  DatasetManifest manifest_;
  bool goes_on_ = false;  // An upload of this dataset has begun before.
};

}  // namespace

Result<UploadReport> UploadDataset(const std::string& folder, const ObjectAddress& address,
                                   const ObjectStore& store, int at_once) {
  return Upload(folder, address, store).Run(at_once);
}

}  // namespace kernelmill
