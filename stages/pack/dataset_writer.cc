#include "stages/pack/dataset_writer.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/dataset/row.h"
#include "corpora/records/record.h"
#include "corpora/shards/shard.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/merkle.h"
#include "stages/pack/export.h"

namespace kernelmill {

struct DatasetWriter::State {
  Status BeginShard();
  Status EndShard();

  std::string folder;
  PackOptions options;
  std::vector<std::unique_ptr<Export>> exports;
  std::optional<ShardWriter> shard;
  std::string digests;  // Of the current shard.
  std::size_t shards = 0;
  MerkleTree tree;
  Digest last_id;
  PackedRecords packed;
};

Status DatasetWriter::State::BeginShard() {
  KM_ASSIGN(shard, ShardWriter::Create(folder + "/" + RecordShardPath(shards),
                                       {.schema = std::string(kRecordSchema)}));
  digests.clear();
  return Status::Ok();
}

Status DatasetWriter::State::EndShard() {
  KM_RETURN_IF_ERROR(shard->Finish());
  KM_RETURN_IF_ERROR(CommitFile(folder + "/" + RecordDigestsPath(shards), digests));
  shard.reset();
  ++shards;
  return Status::Ok();
}

namespace {

// Whether a file in shards/ or data/ has a name as writers and exports give it, so that it may be
// what a killed run left.
bool IsPacked(std::string_view name) {
  if (IsTemporaryPath(name)) return true;
  if (name.starts_with("records-")) return name.ends_with(".mdb") || name.ends_with(".digests");
  return std::any_of(AllSplits().begin(), AllSplits().end(), [&](const std::string& split) {
    return name.starts_with(split + ".") || name.starts_with(split + "-");
  });
}

// Removes the shards and exports of a run that died before it published, and no other file.
Status RemovePacked(const std::string& folder) {
  for (const std::string_view part : {kShardFolder, kDataFolder}) {
    const std::string path = folder + "/" + std::string(part);
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (entry->is_regular_file(error) && IsPacked(name)) {
        std::filesystem::remove(entry->path(), error);
      }
      if (error) break;
    }
    if (error && error != std::errc::no_such_file_or_directory) {
      errno = error.value();
      return Status::FromErrno("cannot clear", path);
    }
  }
  return Status::Ok();
}

}  // namespace

DatasetWriter::DatasetWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
DatasetWriter::~DatasetWriter() = default;
DatasetWriter::DatasetWriter(DatasetWriter&&) noexcept = default;
DatasetWriter& DatasetWriter::operator=(DatasetWriter&&) noexcept = default;

Result<DatasetWriter> DatasetWriter::Create(const std::string& folder, const PackOptions& options) {
  std::error_code error;
  if (std::filesystem::exists(folder + "/" + std::string(kManifestName), error)) {
    return Status(ErrorCode::kExists, folder + " holds a published dataset; name another folder");
  }
  KM_RETURN_IF_ERROR(RemovePacked(folder));
  KM_RETURN_IF_ERROR(MakeFolders(folder + "/" + std::string(kShardFolder)));
  auto state = std::make_unique<State>();
  state->folder = folder;
  state->options = options;
  for (const std::string& name : options.formats) {
    KM_ASSIGN(const ExportFormat* format, FindExportFormat(name));
    KM_ASSIGN(std::unique_ptr<Export> opened, format->open(folder, options));
    state->exports.push_back(std::move(opened));
  }
  KM_RETURN_IF_ERROR(state->BeginShard());
  return DatasetWriter(std::move(state));
}

Status DatasetWriter::Add(std::string_view encoded) {
  State& state = *state_;
  KM_ASSIGN(const Record record, Record::Decode(encoded));
  const DigestEntry entry{record.ContentId(), DigestOf(encoded)};
  if (state.tree.size() > 0 && entry.content_id <= state.last_id) {
    return Status(ErrorCode::kInternal,
                  "record " + entry.content_id.Hex() + " is packed out of order");
  }
  if (state.shard->count() == static_cast<std::uint64_t>(state.options.records_per_shard)) {
    KM_RETURN_IF_ERROR(state.EndShard());
    KM_RETURN_IF_ERROR(state.BeginShard());
  }
  KM_RETURN_IF_ERROR(state.shard->Append(IndexKey(state.shard->count()), encoded));
  state.digests += entry.Encode();
  state.tree.Add(entry.record_digest);
  state.last_id = entry.content_id;
  ++state.packed.records[std::string(RecordKindName(record.kind))];
  if (record.kind != RecordKind::kTraining) return Status::Ok();
  KM_ASSIGN(const Row row, Row::Of(record));
  ++state.packed.rows[row.attributes.split];
  state.packed.near_equal_rows += !row.attributes.near_equal_to.empty();
  for (const auto& target : state.exports) KM_RETURN_IF_ERROR(target->Add(row));
  return Status::Ok();
}

Result<PackedRecords> DatasetWriter::Finish() {
  State& state = *state_;
  KM_RETURN_IF_ERROR(state.EndShard());
  for (const auto& target : state.exports) KM_RETURN_IF_ERROR(target->Finish());
  state.packed.merkle_root = state.tree.Root();
  return state.packed;
}

}  // namespace kernelmill
