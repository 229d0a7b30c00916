#include "stages/audit/standard_documents.h"

#include <filesystem>

#include "generators/standard_documents/croissant_document.h"
#include "generators/standard_documents/provenance_statement.h"
#include "generators/standard_documents/spdx_document.h"
#include "manifests/commit_file.h"
#include "manifests/dsse_envelope.h"
#include "stages/pack/export_dataset.h"
#include "stages/pack/parquet_row.h"
#include "stages/recipes/published_files.h"

namespace kernelmill {
namespace {

std::vector<DocumentedColumn> ColumnsOf(const std::vector<ParquetField>& fields) {
  using Type = ParquetField::Type;
  std::vector<DocumentedColumn> columns;
  for (const ParquetField& field : fields) {
    DocumentedColumn column{.name = field.name, .members = ColumnsOf(field.members)};
    column.type = field.type == Type::kInteger  ? DocumentedColumn::Type::kInteger
                  : field.type == Type::kNumber ? DocumentedColumn::Type::kNumber
                  : field.type == Type::kFlag   ? DocumentedColumn::Type::kFlag
                  : field.type == Type::kText   ? DocumentedColumn::Type::kText
                                                : DocumentedColumn::Type::kList;
    columns.push_back(std::move(column));
  }
  return columns;
}

Status CheckVacant(const std::string& output) {
  std::error_code error;
  for (const std::string_view name :
       {kCroissantName, kSpdxName, kProvenanceName, kSignedProvenanceName}) {
    const std::string path = output + "/" + std::string(name);
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) continue;
    return Status(ErrorCode::kExists, path + " exists already; name another folder");
  }
  return Status::Ok();
}

}  // namespace

Result<DocumentedDataset> DocumentedDatasetOf(const std::string& folder, AuditedContent content) {
  DocumentedDataset dataset;
  KM_ASSIGN(dataset.manifest, ReadDatasetManifest(folder));
  KM_ASSIGN(dataset.manifest_file, FileEntry::Of(folder, std::string(kManifestName)));
  KM_ASSIGN(const std::string configuration,
            ReadFile(folder + "/" + std::string(kConfigurationName)));
  KM_ASSIGN(dataset.configuration, Json::Parse(configuration));
  dataset.description = std::move(content.description);
  dataset.sources = std::move(content.sources);
  dataset.columns = ColumnsOf(ParquetRowFields());
  return dataset;
}

Result<std::vector<std::string>> ExportStandards(const std::string& dataset,
                                                 const StandardsOptions& options,
                                                 const std::string& output) {
  std::optional<SigningKey> key;
  if (!options.key.empty()) {
    KM_ASSIGN(key, SigningKey::ReadPrivate(options.key));
  }
  KM_RETURN_IF_ERROR(CheckVacant(output));
  KM_ASSIGN(AuditReport report, Audit(dataset, {}));
  if (!report.findings.empty() || !report.content) {
    const AuditFinding first =
        report.findings.empty() ? AuditFinding{} : std::move(report.findings.front());
    return Status(ErrorCode::kCorrupt,
                  dataset + " is damaged, so nothing is said of it: " + first.file +
                      (first.record.empty() ? "" : ", " + first.record) + ": " + first.what +
                      "; `kernelmill audit` lists everything that is wrong");
  }
  KM_ASSIGN(const DocumentedDataset documented,
            DocumentedDatasetOf(dataset, *std::move(report.content)));
  KM_RETURN_IF_ERROR(MakeFolders(output));
  std::vector<std::string> names;
  const auto write = [&](std::string_view name, const std::string& text) {
    names.emplace_back(name);
    return CommitFile(output + "/" + std::string(name), text);
  };
  KM_RETURN_IF_ERROR(
      write(kCroissantName, CroissantDocument(documented, options.publication).Pretty()));
  KM_RETURN_IF_ERROR(write(kSpdxName, SpdxDocument(documented, options.publication).Pretty()));
  std::vector<FileEntry> documents;
  for (const std::string& name : names) {
    KM_ASSIGN(FileEntry entry, FileEntry::Of(output, name));
    documents.push_back(std::move(entry));
  }
  const std::string statement = ProvenanceStatement(documented, documents).Pretty();
  KM_RETURN_IF_ERROR(write(kProvenanceName, statement));
  if (!key) return names;
  DsseEnvelope envelope{std::string(kStatementMediaType), statement, {}};
  KM_RETURN_IF_ERROR(envelope.Sign(*key));
  KM_RETURN_IF_ERROR(write(kSignedProvenanceName, envelope.Encode()));
  return names;
}

}  // namespace kernelmill
