#include "stages/audit/audit.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "corpora/quarantine.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "stages/audit/count_audit.h"
#include "stages/audit/dataset_configuration.h"
#include "stages/audit/file_audit.h"
#include "stages/audit/record_audit.h"
#include "stages/audit/shard_audit.h"
#include "stages/recipes/published_files.h"
#include "stages/retry/retry_folder.h"

namespace kernelmill {
namespace {

// The quarantine lies beside the dataset, and may be elsewhere. Where it is, the manifest must count
// what it holds.
void AuditQuarantine(const std::string& folder, const DatasetManifest& manifest,
                     std::vector<AuditFinding>* findings) {
  const std::string quarantine = QuarantineFolderOf(folder);
  std::error_code error;
  if (!std::filesystem::is_directory(quarantine, error)) return;
  for (const auto& [step, counts] : manifest.counts) {
    std::map<std::string, std::int64_t> expected = counts.rejected, found;
    for (const auto& [reason, count] : counts.rejected_items) expected[reason] += count;
    if (expected.empty()) continue;
    const std::string path = quarantine + "/" + step + ".mdb";
    const Result<QuarantineReader> reader = QuarantineReader::Open(path);
    const Status status = reader.ok() ? reader->ForEach([&](const Reject& reject) {
      ++found[reject.reason];
      return Status::Ok();
    })
                                      : reader.status();
    if (!status.ok()) {
      findings->push_back({path, "", status.message()});
    } else if (found != expected) {
      findings->push_back(
          {path, "",
           "it holds " + Json(Json::Object(found.begin(), found.end())).Dump() +
               ", but the manifest counts " +
               Json(Json::Object(expected.begin(), expected.end())).Dump()});
    }
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

// Whether a file is damaged from which others are made again. Their differences would say no more.
bool IsInputDamaged(const FileAudit& files) {
  return std::any_of(files.damaged.begin(), files.damaged.end(), [](const std::string& path) {
    return path == kConfigurationName || path == kMixtureName || path == kVerdictsName ||
           path == kSelectionName || path.starts_with(kRetryFolderName);
  });
}

// Sets the result, which the findings and the digest that was kept decide.
void Settle(const AuditOptions& options, AuditReport* report) {
  const bool is_authentic = options.root && *options.root == report->manifest_digest;
  const bool is_same = options.root && *options.root == report->merkle_root;
  const bool is_another = options.root && !is_authentic && !is_same;
  if (report->findings.empty()) {
    report->result = is_authentic   ? AuditResult::kAuthentic
                     : is_same      ? AuditResult::kSameRecords
                     : options.root ? AuditResult::kAnotherDataset
                                    : AuditResult::kConsistent;
  }
  if (!is_another) return;
  report->findings.push_back({std::string(kManifestName), "",
                              "this is another dataset: its digest ('manifest_digest') is " +
                                  report->manifest_digest.Hex() + " and its root ('merkle_root') " +
                                  report->merkle_root.Hex() + ", not " + options.root->Hex()});
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
    case AuditResult::kSameRecords:
      return "same_records";
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
  Json json = Json::Object{{"verdict", AuditResultName(result)},
                           {"manifest_digest", manifest_digest.Hex()},
                           {"merkle_root", merkle_root.Hex()},
                           {"files", files},
                           {"bytes", bytes},
                           {"records", records},
                           {"rows", rows},
                           {"complete", complete},
                           {"findings", std::move(array)}};
  if (!signed_by.empty()) json["signed_by"] = signed_by;
  return json;
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
  report.manifest_digest = manifest->ManifestDigest();
  report.merkle_root = manifest->merkle_root;
  KM_ASSIGN(const FileAudit files, AuditFiles(folder, *manifest, &report.findings));
  report.files = static_cast<std::int64_t>(files.intact.size() + files.damaged.size()) + 1;
  report.bytes = files.bytes + static_cast<std::int64_t>(bytes->size());
  AuditSteps(*manifest, &report.findings);
  AuditQuarantine(folder, *manifest, &report.findings);
  AuditRetry(folder, *manifest, files, &report.findings);
  Result<DatasetConfiguration> configuration = PublishedConfiguration(folder);
  // A file that is not as listed is a finding already.
  const std::string config(kConfigurationName);
  if (!configuration.ok() && !files.damaged.contains(config)) {
    report.findings.push_back({config, "", configuration.status().message()});
  }
  const bool derives = configuration.ok() && !IsInputDamaged(files);
  RecordAudit records(folder, *manifest, derives ? &*configuration : nullptr, &report.findings);
  report.complete = AuditShards(folder, *manifest, files, &records, &report.findings);
  report.complete ? records.Finish() : records.FinishDamaged();
  report.content = records.TakeContent();
  report.records = records.sound();
  report.rows = records.rows();
  Settle(options, &report);
  return report;
}

}  // namespace kernelmill
