#include "stages/audit/shard_audit.h"

#include <optional>

#include "corpora/shards/shard.h"
#include "corpora/shards/shard_salvage.h"
#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

struct Parts {
  std::string shard, digests;  // Relative to the dataset.
};

Result<std::vector<DigestEntry>> ReadDigests(const std::string& path) {
  KM_ASSIGN(const std::string bytes, ReadFile(path));
  std::vector<DigestEntry> entries;
  for (std::size_t at = 0; at + kDigestEntryBytes <= bytes.size(); at += kDigestEntryBytes) {
    entries.push_back(DigestEntry::Decode(std::string_view(bytes).substr(at, kDigestEntryBytes)));
  }
  if (bytes.size() % kDigestEntryBytes != 0) {
    return Status(ErrorCode::kCorrupt, "it ends within an entry");
  }
  return entries;
}

// Reports every record that is not found with its digest.
void NameDamagedRecords(const std::string& folder, const Parts& parts,
                        const std::vector<DigestEntry>& entries,
                        std::vector<AuditFinding>* findings) {
  std::vector<bool> found(entries.size()), damaged(entries.size());
  const Status status =
      SalvageShard(folder + "/" + parts.shard,
                   [&](std::string_view key, const std::optional<std::string>& value) {
                     if (key.size() != sizeof(std::uint64_t)) return;
                     std::uint64_t index = 0;
                     for (unsigned char byte : key) index = index << 8 | byte;
                     if (index >= entries.size()) return;
                     const bool sound = value && DigestOf(*value) == entries[index].record_digest;
                     (sound ? found : damaged)[index] = true;
                   });
  if (!status.ok()) {
    findings->push_back({parts.shard, "", status.message()});
    return;
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (found[i] && !damaged[i]) continue;
    findings->push_back(
        {parts.shard, RecordName(i, entries[i].content_id),
         damaged[i] ? "its bytes are damaged" : "it is missing, or its key is damaged"});
  }
}

// Reads the whole shard. `entries` is null when there is nothing to compare with.
bool ReadRecords(const std::string& folder, const Parts& parts,
                 const std::vector<DigestEntry>* entries, RecordAudit* records,
                 std::vector<AuditFinding>* findings) {
  const Result<ShardReader> reader = ShardReader::Open(folder + "/" + parts.shard);
  if (!reader.ok()) {
    findings->push_back({parts.shard, "", reader.status().message()});
    return false;
  }
  if (reader->schema() != kRecordSchema) {
    findings->push_back({parts.shard, "", "it holds '" + reader->schema() + "', not records"});
    return false;
  }
  if (entries != nullptr && entries->size() != reader->count()) {
    findings->push_back({parts.shard, "",
                         "it holds " + std::to_string(reader->count()) + " records, but " +
                             parts.digests + " names " + std::to_string(entries->size())});
  }
  std::uint64_t index = 0;
  const Status status =
      reader->ForEach("", [&](std::string_view key, std::string_view value, bool*) {
        if (key != IndexKey(index)) {
          findings->push_back({parts.shard, RecordName(index), "its key is not its number"});
        }
        const bool is_listed = entries != nullptr && index < entries->size();
        records->Add(parts.shard, index, value, parts.digests,
                     is_listed ? &(*entries)[index] : nullptr);
        ++index;
        return Status::Ok();
      });
  if (!status.ok()) findings->push_back({parts.shard, RecordName(index), status.message()});
  return status.ok();
}

}  // namespace

bool AuditShard(const std::string& folder, std::size_t number, const FileAudit& files,
                RecordAudit* records, std::vector<AuditFinding>* findings) {
  const Parts parts{RecordShardPath(number), RecordDigestsPath(number)};
  std::optional<std::vector<DigestEntry>> entries;
  if (files.IsThere(parts.digests)) {
    Result<std::vector<DigestEntry>> read = ReadDigests(folder + "/" + parts.digests);
    if (read.ok()) {
      entries = std::move(read).value();
    } else {
      findings->push_back({parts.digests, "", read.status().message()});
    }
  }
  if (files.intact.contains(parts.shard)) {
    return ReadRecords(folder, parts, entries ? &*entries : nullptr, records, findings);
  }
  if (files.damaged.contains(parts.shard) && entries) {
    NameDamagedRecords(folder, parts, *entries, findings);
  }
  return false;
}

}  // namespace kernelmill
