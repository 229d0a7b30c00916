#include "stages/audit/audit.h"

#include "corpora/quarantine.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "stages/audit/file_audit.h"
#include "stages/audit/record_audit.h"
#include "stages/audit/shard_audit.h"
#include "stages/retry/retry_folder.h"

namespace kernelmill {
namespace {

constexpr std::string_view kQuarantineFolder = "quarantine/";

void AuditCounts(const DatasetManifest& manifest, std::vector<AuditFinding>* findings) {
  for (const auto& [step, counts] : manifest.counts) {
    if (Status status = counts.Check(step); !status.ok()) {
      findings->push_back({std::string(kManifestName), "", status.message()});
    }
  }
}

void AuditQuarantine(const std::string& folder, const FileAudit& files,
                     std::vector<AuditFinding>* findings) {
  for (const std::string& path : files.intact) {
    if (!path.starts_with(kQuarantineFolder) || !path.ends_with(".mdb")) continue;
    const Result<QuarantineReader> reader = QuarantineReader::Open(folder + "/" + path);
    const Status status =
        reader.ok() ? reader->ForEach([](const Reject&) { return Status::Ok(); }) : reader.status();
    if (!status.ok()) findings->push_back({path, "", status.message()});
  }
}

// The retry buffer of an RFT dataset: its files belong together, and the step "buffer" counted what
// became of its items.
void AuditRetry(const std::string& folder, const DatasetManifest& manifest, const FileAudit& files,
                std::vector<AuditFinding>* findings) {
  const std::string name(kRetryFolderName);
  const auto counts = manifest.counts.find("buffer");
  if (counts == manifest.counts.end() && !files.IsThere(name + "/" + std::string(kRetryRoundName))) {
    return;
  }
  const Result<RetryFolder> retry = ReadRetryFolder(folder + "/" + name);
  if (!retry.ok()) {
    findings->push_back({name, "", retry.status().message()});
    return;
  }
  const auto items = static_cast<std::int64_t>(retry->items.size());
  const auto kept = static_cast<std::int64_t>(retry->file.generation.entries.size());
  if (counts == manifest.counts.end() || counts->second.in != items ||
      counts->second.kept != kept) {
    findings->push_back({name, "",
                         "it holds " + std::to_string(items) + " items and keeps " +
                             std::to_string(kept) + ", which the manifest does not count"});
  }
}

// Audits all shards. Returns true if every shard could be read.
bool AuditShards(const std::string& folder, const DatasetManifest& manifest, const FileAudit& files,
                 RecordAudit* records, std::vector<AuditFinding>* findings) {
  const std::size_t shards = RecordShardCount(manifest);
  bool complete = true;
  for (std::size_t number = 0; number < shards; ++number) {
    for (const std::string& part : {RecordShardPath(number), RecordDigestsPath(number)}) {
      if (!files.IsThere(part)) {
        findings->push_back({part, "", "this part of the records is missing"});
        complete = false;
      }
    }
    if (!AuditShard(folder, number, files, records, findings)) {
      records->StopExportChecks();
      complete = false;
    }
  }
  return complete;
}

}  // namespace

std::string_view AuditResultName(AuditResult result) {
  switch (result) {
    case AuditResult::kDamaged:
      return "damaged";
    case AuditResult::kConsistent:
      return "consistent";
    case AuditResult::kAuthentic:
      return "authentic";
    case AuditResult::kAnotherDataset:
      return "another_dataset";
  }
  return "damaged";
}

Json AuditFinding::ToJson() const {
  return Json::Object{{"file", file}, {"record", record}, {"what", what}};
}

Json AuditReport::ToJson() const {
  Json::Array array;
  for (const AuditFinding& finding : findings) array.emplace_back(finding.ToJson());
  return Json::Object{{"verdict", AuditResultName(result)},
                      {"merkle_root", merkle_root.Hex()},
                      {"files", files},
                      {"bytes", bytes},
                      {"records", records},
                      {"rows", rows},
                      {"complete", complete},
                      {"findings", std::move(array)}};
}

Result<AuditReport> Audit(const std::string& folder, const AuditOptions& options) {
  const std::string name(kManifestName);
  Result<std::string> bytes = ReadFile(folder + "/" + name);
  if (!bytes.ok()) {
    if (bytes.status().code() != ErrorCode::kNotFound) return bytes.status();
    return Status(
        ErrorCode::kNotFound,
        folder + " holds no " + name + ": not a dataset, or a dataset that was never published");
  }
  AuditReport report;
  const Result<DatasetManifest> manifest = DatasetManifest::Decode(*bytes);
  if (!manifest.ok()) {
    report.findings.push_back({name, "", manifest.status().message()});
    return report;
  }
  report.merkle_root = manifest->merkle_root;
  KM_ASSIGN(const FileAudit files, AuditFiles(folder, *manifest, &report.findings));
  report.files = static_cast<std::int64_t>(files.intact.size() + files.damaged.size()) + 1;
  report.bytes = files.bytes + static_cast<std::int64_t>(bytes->size());
  AuditCounts(*manifest, &report.findings);
  AuditQuarantine(folder, files, &report.findings);
  AuditRetry(folder, *manifest, files, &report.findings);
  RecordAudit records(folder, *manifest, &report.findings);
  report.complete = AuditShards(folder, *manifest, files, &records, &report.findings);
  if (report.complete) records.Finish();
  report.records = records.sound();
  report.rows = records.rows();
  const bool is_another = options.root && *options.root != manifest->merkle_root;
  if (report.findings.empty()) {
    report.result = is_another     ? AuditResult::kAnotherDataset
                    : options.root ? AuditResult::kAuthentic
                                   : AuditResult::kConsistent;
  }
  if (is_another) {
    report.findings.push_back({name, "",
                               "this is another dataset: its root ('merkle_root') is " +
                                   manifest->merkle_root.Hex() + ", not " + options.root->Hex()});
  }
  return report;
}

}  // namespace kernelmill
