#include "corpora/quarantine.h"

#include <filesystem>

#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

constexpr std::string_view kSchema = "kernelmill.quarantine.v1";
constexpr char kRejectPrefix = 'r';
constexpr char kOriginalPrefix = 'o';

std::string KeyOf(char prefix, const Digest& digest) {
  return prefix + std::string(digest.AsKey());
}

}  // namespace

std::string QuarantineFolderOf(const std::string& dataset) {
  // "out/demo/" and "." name folders too.
  std::error_code error;
  std::filesystem::path path = std::filesystem::path(dataset).lexically_normal();
  if (path.filename() == "." || path.filename() == "..") {
    path = std::filesystem::absolute(dataset, error).lexically_normal();
  }
  if (!path.has_filename()) path = path.parent_path();
  return path.string() + ".quarantine";
}

Status CheckQuarantineFolder(const std::string& dataset) {
  namespace fs = std::filesystem;
  const std::string folder = QuarantineFolderOf(dataset);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return Status::Ok();
  const auto foreign = [&](const std::string& what) {
    return Status(ErrorCode::kExists,
                  folder + " " + what +
                      "; rejected inputs are written there, so move it away or give --output "
                      "another folder");
  };
  if (!fs::is_directory(folder, error)) return foreign("is no folder");
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (IsTemporaryPath(path)) continue;
    std::error_code unknown;
    if (!fs::is_regular_file(entry->symlink_status(unknown)) ||
        !QuarantineReader::Open(path).ok()) {
      return foreign("holds files that do not belong to a run (" +
                     entry->path().filename().string() + ")");
    }
  }
  if (error) return Status(ErrorCode::kIo, "cannot list " + folder + ": " + error.message());
  return Status::Ok();
}

Result<QuarantineWriter> QuarantineWriter::Create(const std::string& path) {
  KM_ASSIGN(ShardWriter shard, ShardWriter::Create(path, {.schema = std::string(kSchema)}));
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(FolderOf(path)));
  return QuarantineWriter(std::move(shard), std::move(sorter));
}

Status QuarantineWriter::Add(const Reject& reject) {
  const Digest original = DigestOf(reject.original);
  const std::string header = reject.EncodeHeader(original);
  KM_RETURN_IF_ERROR(sorter_.Put(KeyOf(kOriginalPrefix, original), reject.original));
  return sorter_.Put(KeyOf(kRejectPrefix, DigestOf(header)), header);
}

Status QuarantineWriter::Finish() {
  KM_RETURN_IF_ERROR(sorter_.ForEach([&](std::string_view key, std::string_view value, bool*) {
    return shard_.Append(key, value);
  }));
  return shard_.Finish();
}

Result<QuarantineReader> QuarantineReader::Open(const std::string& path) {
  KM_ASSIGN(ShardReader shard, ShardReader::Open(path));
  if (shard.schema() != kSchema) {
    return Status(ErrorCode::kCorrupt, path + " holds '" + shard.schema() + "', not rejects");
  }
  return QuarantineReader(std::move(shard));
}

Status QuarantineReader::ForEach(const std::function<Status(const Reject&)>& visit) const {
  return shard_.ForEach(std::string(1, kRejectPrefix),
                        [&](std::string_view, std::string_view header, bool*) -> Status {
                          Digest digest;
                          Result<Reject> reject = Reject::DecodeHeader(header, &digest);
                          if (!reject.ok()) return reject.status().Within(shard_.path());
                          KM_ASSIGN(std::optional<std::string> original,
                                    shard_.Get(KeyOf(kOriginalPrefix, digest)));
                          if (!original || DigestOf(*original) != digest) {
                            return DamagedOriginal(digest).Within(shard_.path());
                          }
                          reject->original = std::move(*original);
                          return visit(*reject);
                        });
}

}  // namespace kernelmill
