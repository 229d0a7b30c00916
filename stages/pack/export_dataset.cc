#include "stages/pack/export_dataset.h"

#include <algorithm>
#include <filesystem>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/shards/shard.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_listing.h"
#include "manifests/dataset_manifest.h"
#include "manifests/merkle.h"
#include "stages/pack/publish.h"

namespace kernelmill {
namespace fs = std::filesystem;

Result<DatasetManifest> ReadDatasetManifest(const std::string& dataset) {
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

Status VisitRecords(const std::string& dataset, const DatasetManifest& manifest,
                    const std::function<Status(const Record& record)>& visit) {
  MerkleTree tree;
  for (std::size_t number = 0; number < RecordShardCount(manifest); ++number) {
    KM_ASSIGN(const ShardReader shard, ShardReader::Open(dataset + "/" + RecordShardPath(number)));
    KM_RETURN_IF_ERROR(
        shard.ForEach("", [&](std::string_view, std::string_view encoded, bool*) -> Status {
          tree.Add(DigestOf(encoded));
          KM_ASSIGN(const Record record, Record::Decode(encoded));
          return visit(record);
        }));
  }
  if (tree.Root() == manifest.merkle_root) return Status::Ok();
  return Status(ErrorCode::kCorrupt, dataset + ": the records do not have the Merkle root of its " +
                                         std::string(kManifestName) +
                                         "; `kernelmill audit` says what is wrong");
}

Status MakeVacant(const std::string& output, const std::vector<std::string>& beside) {
  const auto taken = [](const std::string& path) {
    return Status(ErrorCode::kExists, path + " exists already; name another folder");
  };
  std::error_code error;
  if (!fs::is_directory(output, error) && fs::exists(fs::symlink_status(output, error))) {
    return Status(ErrorCode::kUsage, output + " is no folder; name one");
  }
  std::vector<std::string> names = beside;
  names.emplace_back(kManifestName);
  for (const std::string& name : names) {
    if (fs::exists(output + "/" + name, error)) return taken(output + "/" + name);
  }
  const std::string data = output + "/" + std::string(kDataFolder);
  KM_RETURN_IF_ERROR(MakeFolders(data));
  KM_ASSIGN(const DatasetListing listing, ListDataset(data));
  if (!listing.others.empty()) return taken(data);
  for (const std::string& file : listing.files) {
    if (!IsTemporaryPath(file)) return taken(data);
  }
  for (const std::string& file : listing.files) fs::remove(data + "/" + file, error);
  return Status::Ok();
}

Result<ExportedRows> ExportDataset(const std::string& dataset, const ExportFormat& format,
                                   const PackOptions& options, const std::string& output) {
  KM_ASSIGN(const DatasetManifest manifest, ReadDatasetManifest(dataset));
  KM_RETURN_IF_ERROR(MakeVacant(output, {}));
  KM_ASSIGN(const std::unique_ptr<Export> target, format.open(output, options));
  ExportedRows exported;
  KM_RETURN_IF_ERROR(VisitRecords(dataset, manifest, [&](const Record& record) -> Status {
    if (record.kind != RecordKind::kTraining) return Status::Ok();
    KM_ASSIGN(const Row row, Row::Of(record));
    ++exported.rows[row.attributes.split];
    return target->Add(row);
  }));
  KM_RETURN_IF_ERROR(target->Finish());
  KM_ASSIGN(const DatasetListing listing, ListDataset(output + "/" + std::string(kDataFolder)));
  for (const std::string& file : listing.files) {
    exported.files.push_back(std::string(kDataFolder) + "/" + file);
  }
  return exported;
}

}  // namespace kernelmill
