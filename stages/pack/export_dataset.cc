#include "stages/pack/export_dataset.h"

#include <algorithm>
#include <filesystem>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/shards/shard.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/merkle.h"
#include "stages/pack/publish.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

Result<DatasetManifest> ReadManifest(const std::string& dataset) {
  Result<std::string> bytes = ReadFile(dataset + "/" + std::string(kManifestName));
  if (bytes.status().code() == ErrorCode::kNotFound) {
    return Status(ErrorCode::kNotFound,
                  dataset + " holds no " + std::string(kManifestName) +
                      ": not a dataset, or a dataset that was never published");
  }
  if (!bytes.ok()) return bytes.status();
  Result<DatasetManifest> manifest = DatasetManifest::Decode(*bytes);
  if (!manifest.ok()) return manifest.status().Within(dataset);
  return manifest;
}

Status CheckVacant(const std::string& output) {
  std::error_code error;
  const std::string data = output + "/" + std::string(kDataFolder);
  for (const std::string& taken : {output + "/" + std::string(kManifestName), data}) {
    if (!fs::exists(taken, error)) continue;
    if (fs::is_directory(taken, error) && fs::is_empty(taken, error)) continue;
    return Status(ErrorCode::kExists, taken + " exists already; name another folder");
  }
  return Status::Ok();
}

// The number of record shards that the manifest lists.
std::size_t CountShards(const DatasetManifest& manifest) {
  std::size_t shards = 0;
  for (const FileEntry& file : manifest.files) shards += file.path == RecordShardPath(shards);
  return shards;
}

}  // namespace

Result<ExportedRows> ExportDataset(const std::string& dataset, const ExportFormat& format,
                                   const PackOptions& options, const std::string& output) {
  KM_ASSIGN(const DatasetManifest manifest, ReadManifest(dataset));
  KM_RETURN_IF_ERROR(CheckVacant(output));
  KM_RETURN_IF_ERROR(MakeFolders(output));
  KM_ASSIGN(const std::unique_ptr<Export> target, format.open(output, options));
  ExportedRows exported;
  MerkleTree tree;
  for (std::size_t number = 0; number < CountShards(manifest); ++number) {
    KM_ASSIGN(const ShardReader shard, ShardReader::Open(dataset + "/" + RecordShardPath(number)));
    KM_RETURN_IF_ERROR(
        shard.ForEach("", [&](std::string_view, std::string_view encoded, bool*) -> Status {
          tree.Add(DigestOf(encoded));
          KM_ASSIGN(const Record record, Record::Decode(encoded));
          if (record.kind != RecordKind::kTraining) return Status::Ok();
          KM_ASSIGN(const Row row, Row::Of(record));
          ++exported.rows[row.attributes.split];
          return target->Add(row);
        }));
  }
  if (tree.Root() != manifest.merkle_root) {
    return Status(ErrorCode::kCorrupt,
                  dataset + ": the records do not have the Merkle root of its " +
                      std::string(kManifestName) + "; `kernelmill audit` says what is wrong");
  }
  KM_RETURN_IF_ERROR(target->Finish());
  KM_ASSIGN(const DatasetListing listing, ListDataset(output + "/" + std::string(kDataFolder)));
  for (const std::string& file : listing.files) {
    exported.files.push_back(std::string(kDataFolder) + "/" + file);
  }
  return exported;
}

}  // namespace kernelmill
