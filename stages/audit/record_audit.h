// Audits the records of a dataset: each record on its own, then the properties of all together
// (root, counts, lineage, exports).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/records/record.h"
#include "manifests/dataset_manifest.h"
#include "manifests/merkle.h"
#include "stages/audit/audit.h"
#include "stages/audit/derived_audit.h"
#include "stages/pack/export.h"

namespace kernelmill {

class RecordAudit {
 public:
  // `configuration` may be null: then what follows from it is not compared.
  RecordAudit(const std::string& folder, const DatasetManifest& manifest,
              const DatasetConfiguration* configuration, std::vector<AuditFinding>* findings);

  // The next record of the dataset: the `index`-th of shard `file`, as stored. `listed`: the entry of
  // the file `digests` for it; null if there is none.
  void Add(const std::string& file, std::uint64_t index, std::string_view encoded,
           const std::string& digests, const DigestEntry* listed);
  // Compares no export from here on. To be called when a record could not be read, because the rows
  // that the exports should have next are then not known.
  void StopExportChecks() { exports_.clear(); }
  // Checks root, counts, lineage, exports, and what follows from the records. To be called after the
  // last record.
  void Finish();

  // What the records make; absent before Finish(), and when damage prevented it.
  std::optional<AuditedContent> TakeContent() { return std::move(content_); }
  // Records that decode, in canonical form and in order.
  std::int64_t sound() const { return sound_; }
  std::int64_t rows() const { return row_count_; }
  // Reports records that disagree with their digests, when Finish() cannot be called.
  void FinishDamaged() { SettleDigests(); }

 private:
  struct Place {
    std::string file;
    std::string record;
  };

  // Says which of a record and its digest is wrong: the root tells, once it is known.
  void SettleDigests();
  void AddSound(const Place& place, const Record& record, const Digest& id);
  void Find(const Place& place, std::string what);
  void FindInManifest(std::string what);

  const DatasetManifest& manifest_;
  std::vector<AuditFinding>* findings_;
  std::vector<std::unique_ptr<ExportCheck>> exports_;
  std::optional<DerivedAudit> derived_;
  std::optional<AuditedContent> content_;
  std::vector<std::pair<Place, std::string>> disagreeing_;  // Records, and their .digests files.
  MerkleTree tree_;
  std::vector<std::pair<Digest, RecordKind>> known_;  // Ascending.
  std::map<Digest, Place>
      wanted_;  // From each input that records name in their lineage to the first such record.
  std::map<std::string, std::int64_t> records_, rows_;
  std::int64_t near_equal_rows_ = 0;
  std::int64_t sound_ = 0, row_count_ = 0;
};

// "record 17", or with its content_id.
std::string RecordName(std::uint64_t index);
std::string RecordName(std::uint64_t index, const Digest& content_id);

}  // namespace kernelmill
