// Phase "pack": writes a dataset's sorted records as shards and exports. BuildSftDataset()
// (stages/recipes/sft_pipeline.h) adds all records of a finished run in order; the files become a
// dataset when Publish() (publish.h) writes the manifest.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "manifests/digest.h"
#include "stages/pack/pack_keys.h"

namespace kernelmill {

// What the shards contain.
struct PackedRecords {
  Digest merkle_root;
  std::map<std::string, std::int64_t> records;  // By RecordKindName().
  std::map<std::string, std::int64_t> rows;     // Training records by split.
  std::int64_t near_equal_rows = 0;             // DatasetManifest::near_equal_rows.
};

class DatasetWriter {
 public:
  // Creates the folder, and removes shards and exports that an unpublished run left there. kExists
  // when the dataset is published already.
  static Result<DatasetWriter> Create(const std::string& folder, const PackOptions& options);
  ~DatasetWriter();
  DatasetWriter(DatasetWriter&&) noexcept;
  DatasetWriter& operator=(DatasetWriter&&) noexcept;

  // `encoded` is Record::Encode(). Records must come in strictly ascending order of content_id.
  Status Add(std::string_view encoded);
  Result<PackedRecords> Finish();

 private:
  struct State;
  explicit DatasetWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
