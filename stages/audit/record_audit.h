// Audits the records of a dataset: each record on its own, then the properties of all together
// (root, counts, lineage, exports).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/records/record.h"
#include "manifests/dataset_manifest.h"
#include "manifests/merkle.h"
#include "stages/audit/audit.h"
#include "stages/pack/export.h"

namespace kernelmill {

class RecordAudit {
 public:
  RecordAudit(const std::string& folder, const DatasetManifest& manifest,
              std::vector<AuditFinding>* findings);

  // The next record of the dataset: the `index`-th of shard `file`, as stored.
  void Add(const std::string& file, std::uint64_t index, std::string_view encoded);
  // Compares no export from here on. To be called when a record could not be read, because the rows
  // that the exports should have next are then not known.
  void StopExportChecks() { exports_.clear(); }
  // Checks root, counts, lineage and exports. To be called after the last record.
  void Finish();

  // Records that decode, in canonical form and in order.
  std::int64_t sound() const { return sound_; }
  std::int64_t rows() const { return row_count_; }

 private:
  struct Place {
    std::string file;
    std::string record;
  };

  void AddSound(const Place& place, const Record& record, const Digest& id);
  void Find(const Place& place, std::string what);
  void FindInManifest(std::string what);

  const DatasetManifest& manifest_;
  std::vector<AuditFinding>* findings_;
  std::vector<std::unique_ptr<ExportCheck>> exports_;
  MerkleTree tree_;
  std::vector<std::pair<Digest, RecordKind>> known_;  // Ascending.
  std::map<Digest, Place>
      wanted_;  // From each input that records name in their lineage to the first such record.
  std::map<std::string, std::int64_t> records_, rows_;
  std::int64_t sound_ = 0, row_count_ = 0;
};

// "record 17", or with its content_id.
std::string RecordName(std::uint64_t index);
std::string RecordName(std::uint64_t index, const Digest& content_id);

}  // namespace kernelmill
