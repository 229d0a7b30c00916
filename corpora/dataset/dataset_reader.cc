#include "corpora/dataset/dataset_reader.h"

#include <algorithm>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/dataset/digest_file.h"
#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

constexpr std::size_t kHexDigits = 64;

Status Disagrees(const std::string& path, std::uint64_t index, const Digest& id) {
  return Status(ErrorCode::kCorrupt, path + ": record " + std::to_string(index) + " (" + id.Hex() +
                                         ") does not agree with its digest; `kernelmill audit` "
                                         "lists all damage");
}

Result<Record> DecodeAgreeing(const std::string& path, std::uint64_t index,
                              const DigestEntry& entry, std::string_view encoded) {
  if (DigestOf(encoded) != entry.record_digest) return Disagrees(path, index, entry.content_id);
  Result<Record> record = Record::Decode(encoded);
  if (!record.ok()) return record.status().Within(path + ", record " + std::to_string(index));
  if (record->ContentId() != entry.content_id) return Disagrees(path, index, entry.content_id);
  return record;
}

}  // namespace

Result<Digest> SmallestIdWithPrefix(std::string_view prefix) {
  std::string hex(prefix);
  hex.resize(std::max(prefix.size(), kHexDigits), '0');
  Result<Digest> digest = Digest::FromHex(hex);
  if (prefix.empty() || !digest.ok()) {
    return Status(ErrorCode::kUsage,
                  "'" + std::string(prefix) +
                      "' names no record; give its id, 64 lower-case hexadecimal digits, or the "
                      "first of them");
  }
  return digest;
}

Result<DatasetReader> DatasetReader::Open(const std::string& folder) {
  const std::string name(kManifestName);
  Result<std::string> bytes = ReadFile(folder + "/" + name);
  if (bytes.status().code() == ErrorCode::kNotFound) {
    return Status(ErrorCode::kNotFound,
                  folder + " holds no " + name + ": it is no dataset, or it was never published");
  }
  if (!bytes.ok()) return bytes.status();
  DatasetReader reader;
  reader.folder_ = folder;
  Result<DatasetManifest> manifest = DatasetManifest::Decode(*bytes);
  if (!manifest.ok()) return manifest.status().Within(folder + "/" + name);
  reader.manifest_ = std::move(manifest).value();
  const std::size_t shards = RecordShardCount(reader.manifest_);
  for (std::size_t number = 0; number < shards; ++number) {
    KM_ASSIGN(DigestFile digests, DigestFile::Open(reader.PathOf(RecordDigestsPath(number))));
    if (digests.count() == 0) continue;
    KM_ASSIGN(const DigestEntry first, digests.At(0));
    reader.shards_.push_back({.number = number, .first_id = first.content_id});
  }
  return reader;
}

Result<const ShardReader*> DatasetReader::Opened(Shard* shard) {
  if (!shard->reader) {
    KM_ASSIGN(shard->reader, ShardReader::Open(PathOf(RecordShardPath(shard->number))));
  }
  return &*shard->reader;
}

std::size_t DatasetReader::ShardOf(const Digest& id) const {
  const auto after = std::upper_bound(
      shards_.begin(), shards_.end(), id,
      [](const Digest& wanted, const Shard& shard) { return wanted < shard.first_id; });
  return after == shards_.begin() ? 0 : static_cast<std::size_t>(after - shards_.begin()) - 1;
}

Status DatasetReader::ForEach(const Digest& first_id, const Visit& visit) {
  bool more = true;
  for (std::size_t i = ShardOf(first_id); i < shards_.size() && more; ++i) {
    KM_ASSIGN(DigestFile digests, DigestFile::Open(PathOf(RecordDigestsPath(shards_[i].number))));
    KM_ASSIGN(std::uint64_t index, digests.LowerBound(first_id));
    if (index == digests.count()) continue;
    KM_ASSIGN(const ShardReader* shard, Opened(&shards_[i]));
    KM_RETURN_IF_ERROR(shard->ForEach(
        IndexKey(index), [&](std::string_view, std::string_view value, bool* more_here) -> Status {
          if (index >= digests.count()) {
            return Status(ErrorCode::kCorrupt, shard->path() +
                                                   " holds more records than its "
                                                   ".digests file names");
          }
          KM_ASSIGN(const DigestEntry entry, digests.At(index));
          KM_ASSIGN(const Record record, DecodeAgreeing(shard->path(), index, entry, value));
          ++index;
          KM_RETURN_IF_ERROR(visit(entry.content_id, record, &more));
          *more_here = more;
          return Status::Ok();
        }));
    if (more && index != digests.count()) {
      return Status(ErrorCode::kCorrupt,
                    shard->path() + " holds fewer records than its .digests file names");
    }
    // Close the shard, so that a walk over many shards keeps only one of them open.
    shards_[i].reader.reset();
  }
  return Status::Ok();
}

Result<std::optional<Record>> DatasetReader::Find(const Digest& content_id) {
  if (shards_.empty()) return std::optional<Record>();
  Shard& place = shards_[ShardOf(content_id)];
  KM_ASSIGN(DigestFile digests, DigestFile::Open(PathOf(RecordDigestsPath(place.number))));
  KM_ASSIGN(const std::uint64_t index, digests.LowerBound(content_id));
  if (index == digests.count()) return std::optional<Record>();
  KM_ASSIGN(const DigestEntry entry, digests.At(index));
  if (entry.content_id != content_id) return std::optional<Record>();
  KM_ASSIGN(const ShardReader* shard, Opened(&place));
  KM_ASSIGN(const std::optional<std::string> value, shard->Get(IndexKey(index)));
  if (!value) return Disagrees(shard->path(), index, content_id);
  KM_ASSIGN(Record record, DecodeAgreeing(shard->path(), index, entry, *value));
  return std::optional<Record>(std::move(record));
}

Result<Digest> DatasetReader::Resolve(std::string_view prefix) {
  KM_ASSIGN(const Digest first, SmallestIdWithPrefix(prefix));
  std::vector<Digest> found;
  for (std::size_t i = ShardOf(first); i < shards_.size() && found.size() < 2; ++i) {
    KM_ASSIGN(DigestFile digests, DigestFile::Open(PathOf(RecordDigestsPath(shards_[i].number))));
    KM_ASSIGN(std::uint64_t index, digests.LowerBound(first));
    for (; index < digests.count() && found.size() < 2; ++index) {
      KM_ASSIGN(const DigestEntry entry, digests.At(index));
      if (!entry.content_id.Hex().starts_with(prefix)) break;
      found.push_back(entry.content_id);
    }
    if (index < digests.count()) break;
  }
  if (found.empty()) {
    return Status(ErrorCode::kNotFound,
                  folder_ + " has no record whose id begins with '" + std::string(prefix) + "'");
  }
  if (found.size() > 1) {
    return Status(ErrorCode::kUsage, "several records begin with '" + std::string(prefix) +
                                         "', among them " + found[0].Hex() + " and " +
                                         found[1].Hex() + "; give more digits");
  }
  return found.front();
}

}  // namespace kernelmill
