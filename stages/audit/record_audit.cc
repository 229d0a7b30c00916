#include "stages/audit/record_audit.h"

#include <algorithm>

#include "corpora/dataset/row.h"

namespace kernelmill {
namespace {

std::string Describe(const std::map<std::string, std::int64_t>& counts) {
  return Json(Json::Object(counts.begin(), counts.end())).Dump();
}

// How a record was made, for messages; empty if neither origins nor lineage tell.
std::string HowMade(const Record& record) {
  for (const Derivation& derivation : record.lineage) {
    if (derivation.step == "mine") return "mined";
    if (derivation.step == "generate") return "generated";
    if (derivation.step == "supply") return "supplied";
  }
  if (record.origins.empty()) return "";
  const Origin& origin = record.origins.front();
  return origin.generated()  ? "generated"
         : origin.supplied() ? "supplied"
         : origin.sampled()  ? "sampled"
                             : "mined";
}

// What the evidence for a record's licence lacks; empty if it is complete.
std::string MissingEvidence(const Record& record) {
  const std::string way = HowMade(record);
  if (record.origins.empty()) {
    return way.empty() ? "it names no origin" : "it was " + way + ", but names no origin";
  }
  if (record.licences.empty()) return "it was " + way + ", but has no evidence for its licence";
  for (const LicenceEvidence& evidence : record.licences) {
    if (evidence.spdx.empty() || evidence.level == LicenceLevel::kNone || evidence.path.empty() ||
        evidence.blob.empty()) {
      return "the evidence for its licence names no text";
    }
  }
  return "";
}

}  // namespace

std::string RecordName(std::uint64_t index) { return "record " + std::to_string(index); }
std::string RecordName(std::uint64_t index, const Digest& content_id) {
  return RecordName(index) + " (" + content_id.Hex() + ")";
}

RecordAudit::RecordAudit(const std::string& folder, const DatasetManifest& manifest,
                         const DatasetConfiguration* configuration,
                         std::vector<AuditFinding>* findings)
    : manifest_(manifest), findings_(findings) {
  if (configuration != nullptr) derived_.emplace(folder, *configuration);
  std::vector<std::string> files;
  for (const FileEntry& file : manifest.files) files.push_back(file.path);
  const auto report = [findings](const std::string& file, std::int64_t row,
                                 const std::string& what) {
    findings->push_back({file, row < 0 ? "" : "row " + std::to_string(row), what});
  };
  for (const ExportFormat& format : AllExportFormats()) {
    if (auto check = format.check(folder, files, report)) exports_.push_back(std::move(check));
  }
}

void RecordAudit::Find(const Place& place, std::string what) {
  findings_->push_back({place.file, place.record, std::move(what)});
}

void RecordAudit::FindInManifest(std::string what) {
  findings_->push_back({std::string(kManifestName), "", std::move(what)});
}

void RecordAudit::Add(const std::string& file, std::uint64_t index, std::string_view encoded,
                      const std::string& digests, const DigestEntry* listed) {
  const Digest digest = DigestOf(encoded);
  tree_.Add(digest);
  const Result<Record> record = Record::Decode(encoded);
  if (listed != nullptr && (listed->record_digest != digest || !record.ok() ||
                            listed->content_id != record->ContentId())) {
    disagreeing_.push_back({{file, RecordName(index, listed->content_id)}, digests});
  }
  if (!record.ok()) {
    StopExportChecks();
    derived_.reset();
    return Find({file, RecordName(index)}, record.status().message());
  }
  const Digest id = record->ContentId();
  const Place place{file, RecordName(index, id)};
  if (record->Encode() != encoded) {
    Find(place, "it is not in canonical form");
  } else if (!known_.empty() && id <= known_.back().first) {
    Find(place, "it is out of order: its content_id does not follow the one before");
  } else {
    return AddSound(place, *record, id);
  }
  StopExportChecks();
  derived_.reset();
}

void RecordAudit::SettleDigests() {
  const bool records_are_right = tree_.Root() == manifest_.merkle_root;
  for (const auto& [place, digests] : disagreeing_) {
    findings_->push_back({records_are_right ? digests : place.file, place.record,
                          "record and digest do not agree"});
  }
}

void RecordAudit::AddSound(const Place& place, const Record& record, const Digest& id) {
  known_.emplace_back(id, record.kind);
  ++sound_;
  ++records_[std::string(RecordKindName(record.kind))];
  if (std::string missing = MissingEvidence(record); !missing.empty()) {
    Find(place, std::move(missing));
  }
  for (const Derivation& derivation : record.lineage) {
    for (const Digest& input : derivation.inputs) wanted_.try_emplace(input, place);
  }
  const auto derive = [&](const Row* row) {
    if (!derived_) return;
    const Status status = derived_->Add(record, row, place.file, place.record);
    if (status.ok()) return;
    Find(place, status.message());
    derived_.reset();
  };
  if (record.kind != RecordKind::kTraining) return derive(nullptr);
  const Result<Row> row = Row::Of(record);
  if (!row.ok()) {
    StopExportChecks();
    derived_.reset();
    return Find(place, row.status().message());
  }
  derive(&*row);
  wanted_.try_emplace(row->training.task_id, place);
  ++rows_[row->attributes.split];
  near_equal_rows_ += !row->attributes.near_equal_to.empty();
  ++row_count_;
  for (const auto& check : exports_) check->Add(*row);
}

void RecordAudit::Finish() {
  SettleDigests();
  if (tree_.Root() != manifest_.merkle_root) {
    FindInManifest("the Merkle root of the records is " + tree_.Root().Hex() +
                   ", but 'merkle_root' says " + manifest_.merkle_root.Hex() +
                   ": records were added, removed, moved or changed");
  }
  if (records_ != manifest_.records) {
    FindInManifest("the shards hold " + Describe(records_) + ", but 'records' says " +
                   Describe(manifest_.records));
  }
  if (rows_ != manifest_.rows) {
    FindInManifest("the shards hold the rows " + Describe(rows_) + ", but 'rows' says " +
                   Describe(manifest_.rows));
  }
  if (near_equal_rows_ != manifest_.near_equal_rows) {
    FindInManifest("the shards hold " + std::to_string(near_equal_rows_) +
                   " rows with near_equal_to, but 'near_equal_rows' says " +
                   std::to_string(manifest_.near_equal_rows));
  }
  for (const auto& [input, place] : wanted_) {
    const auto known = std::lower_bound(
        known_.begin(), known_.end(), input,
        [](const auto& entry, const Digest& wanted) { return entry.first < wanted; });
    if (known == known_.end() || known->first != input) {
      Find(place, "it was made from record " + input.Hex() + ", which is not in the dataset");
    } else if (known->second == RecordKind::kTraining) {
      Find(place, "it was made from training record " + input.Hex() + "; nothing is");
    }
  }
  for (const auto& check : exports_) check->Finish();
  if (derived_) {
    content_ = derived_->Finish(
        manifest_, {.merkle_root = tree_.Root(), .records = records_, .rows = rows_}, findings_);
  }
}

}  // namespace kernelmill
