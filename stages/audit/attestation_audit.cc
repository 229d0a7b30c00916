#include "stages/audit/attestation_audit.h"

#include <map>

#include "generators/standard_documents/provenance_statement.h"
#include "manifests/commit_file.h"
#include "manifests/dsse_envelope.h"
#include "manifests/printable.h"
#include "stages/audit/line_difference.h"
#include "stages/audit/standard_documents.h"
#include "stages/pack/export_dataset.h"

namespace kernelmill {
namespace {

class AttestationAudit {
 public:
  AttestationAudit(const std::string& folder, const std::string& path, AuditReport* report)
      : folder_(folder), path_(path), report_(*report) {}

  // The statement in `text`; an empty object when something is wrong with envelope or signature.
  Json SignedStatement(const std::string& text, const std::string& key_path,
                       const SigningKey& key) {
    const Result<DsseEnvelope> envelope = DsseEnvelope::Decode(text);
    if (!envelope.ok()) {
      return Find("it is no DSSE envelope: " + envelope.status().message());
    }
    if (envelope->payload_type != kStatementMediaType) {
      return Find("its payloadType is " + PrintableLine(envelope->payload_type) + ", not " +
                  std::string(kStatementMediaType));
    }
    if (!envelope->IsSignedBy(key)) {
      std::string named;
      for (const DsseEnvelope::Signature& signature : envelope->signatures) {
        named += (named.empty() ? "" : ", ") + PrintableLine(signature.key_id);
      }
      return Find("no signature in it is right for the key " + key.Id() + " of " + key_path +
                  "; its signatures name the keys " + named +
                  ": it was changed, or another key has signed it");
    }
    Result<Json> statement = Json::Parse(envelope->payload);
    if (!statement.ok()) return Find("its payload is no JSON: " + statement.status().message());
    for (const auto& [key_name, wanted] :
         {std::pair("_type", kStatementType), {"predicateType", kPredicateType}}) {
      const std::string found = statement->TextAt(key_name);
      if (found != wanted) {
        return Find("'" + std::string(key_name) + "' of its statement is " + PrintableLine(found) +
                    ", not " + std::string(wanted));
      }
    }
    return *std::move(statement);
  }

  // Compares the subjects with the files of the dataset and the documents beside the envelope, and
  // returns the latter.
  std::vector<FileEntry> CheckSubjects(const Json& statement) {
    std::map<std::string, std::string> expected = ListedFiles();
    std::vector<FileEntry> documents;
    const Json* const subjects = statement.Find("subject");
    if (subjects == nullptr || !subjects->is_array()) {
      Find("its statement has no list 'subject'");
      return documents;
    }
    for (const Json& subject : subjects->as_array()) {
      const std::string name = subject.TextAt("name");
      const Json* const digests = subject.Find("digest");
      const std::string sha256 = digests == nullptr ? "" : digests->TextAt("sha256");
      const std::string shown = "its subject " + PrintableLine(name);
      if (name == kCroissantName || name == kSpdxName) {
        const Result<FileEntry> beside = FileEntry::Of(FolderOf(path_), name);
        if (!beside.ok()) {
          Find(shown + " is not beside it: " + beside.status().message());
          continue;
        }
        Compare(shown, sha256, beside->sha256.Hex());
        documents.push_back(*beside);
        continue;
      }
      const auto file = expected.find(name);
      if (file == expected.end()) {
        Find(shown + " is no file of the dataset, or is named twice");
        continue;
      }
      Compare(shown, sha256, file->second);
      expected.erase(file);
    }
    for (const auto& [name, sha256] : expected) {
      Find("it has no subject " + name + ", which is a file of the dataset");
    }
    return documents;
  }

  // Makes the statement again.
  Status CheckStatement(const Json& statement, const std::vector<FileEntry>& documents) {
    if (!report_.content) {
      Find("the dataset is damaged, so its other statements could not be made again");
      return Status::Ok();
    }
    KM_ASSIGN(const DocumentedDataset dataset, DocumentedDatasetOf(folder_, *report_.content));
    const Json expected = ProvenanceStatement(dataset, documents);
    if (statement == expected) return Status::Ok();
    report_.findings.push_back(FindingOn(
        path_, FirstDifference(statement.Pretty(), expected.Pretty()), "the dataset makes"));
    return Status::Ok();
  }

  // The same statement may lie beside the envelope, where nothing signs it.
  void CheckUnsigned(const Json& statement) {
    const std::string beside = FolderOf(path_) + "/" + std::string(kProvenanceName);
    const Result<std::string> text = ReadFile(beside);
    if (text.status().code() == ErrorCode::kNotFound) return;
    const Result<Json> json = text.ok() ? Json::Parse(*text) : Result<Json>(text.status());
    if (json.ok() && *json == statement) return;
    report_.findings.push_back({beside, "", "it is not the statement that is signed"});
  }

 private:
  // By path, the SHA-256 of all files as the manifest has them, and of the manifest.
  std::map<std::string, std::string> ListedFiles() {
    std::map<std::string, std::string> files;
    if (const Result<DatasetManifest> manifest = ReadDatasetManifest(folder_); manifest.ok()) {
      for (const FileEntry& file : manifest->files) files[file.path] = file.sha256.Hex();
    }
    const std::string name(kManifestName);
    if (const Result<FileEntry> entry = FileEntry::Of(folder_, name); entry.ok()) {
      files[name] = entry->sha256.Hex();
    }
    return files;
  }
  void Compare(const std::string& subject, const std::string& said, const std::string& found) {
    if (said == found) return;
    Find(subject + " has the SHA-256 " + PrintableLine(said) + ", but the file has " + found);
  }
  Json Find(std::string what) {
    report_.findings.push_back({path_, "", std::move(what)});
    return Json::Object();
  }

  const std::string& folder_;
  const std::string& path_;
  AuditReport& report_;
};

}  // namespace

Status AuditAttestation(const std::string& folder, const std::string& path,
                        const std::string& key_path, AuditReport* report) {
  KM_ASSIGN(const SigningKey key, SigningKey::ReadPublic(key_path));
  KM_ASSIGN(const std::string text, ReadFile(path));
  const std::size_t before = report->findings.size();
  AttestationAudit audit(folder, path, report);
  const Json statement = audit.SignedStatement(text, key_path, key);
  if (report->findings.size() == before) {
    const std::vector<FileEntry> documents = audit.CheckSubjects(statement);
    // Otherwise the difference would say no more.
    if (report->findings.size() == before) {
      KM_RETURN_IF_ERROR(audit.CheckStatement(statement, documents));
    }
    if (report->findings.size() == before) audit.CheckUnsigned(statement);
  }
  if (report->findings.size() == before) report->signed_by = key.Id();
  if (report->findings.empty()) {
    report->result = AuditResult::kAuthentic;
  } else if (report->result != AuditResult::kAnotherDataset) {
    report->result = AuditResult::kDamaged;
  }
  return Status::Ok();
}

}  // namespace kernelmill
