
// The quarantine of a dataset: every rejected input, or row of one, with the reason and its bytes, so
// that a rejection can be inspected, disputed and replayed. It lies beside the dataset, because what
// was refused, such as code without a licence, must not travel with it; the dataset only counts it.
// The recipes write it when they publish, from the rejects that the engine stored between steps
// (corpora/reject.h); `rejects` and the audit read it. DIR.quarantine/<step>.mdb, one file for each
// step that rejected something, is a shard with two kinds of records: "r" + 32 bytes holds a reject
// as JSON without its bytes, and "o" + the SHA-256 of the bytes holds the bytes. Equal bytes are
// stored once.
#pragma once

#include <functional>
#include <string>

#include "corpora/reject.h"
#include "corpora/shards/shard.h"
#include "manifests/status.h"

namespace kernelmill {

// The folder of the quarantine of the dataset in `dataset`: "out/demo.quarantine".
std::string QuarantineFolderOf(const std::string& dataset);

// kExists when publishing the quarantine of `dataset` would change files of others: when its folder
// is none, is a link to nothing, or holds anything but quarantines.
Status CheckQuarantineFolder(const std::string& dataset);

class QuarantineWriter {
 public:
  // Writes the shard `path`; temporary files for sorting are created in the same folder.
  static Result<QuarantineWriter> Create(const std::string& path);
  // Rejects may be added in any order.
  Status Add(const Reject& reject);
  // kExists when `path` exists already.
  Status Finish();

 private:
  QuarantineWriter(ShardWriter shard, ShardSorter sorter)
      : shard_(std::move(shard)), sorter_(std::move(sorter)) {}

  ShardWriter shard_;
  ShardSorter sorter_;
};

class QuarantineReader {
 public:
  static Result<QuarantineReader> Open(const std::string& path);
  // Visits every reject with its original bytes. The order depends on the rejects alone.
  Status ForEach(const std::function<Status(const Reject&)>& visit) const;

 private:
  explicit QuarantineReader(ShardReader shard) : shard_(std::move(shard)) {}

  ShardReader shard_;
};

}  // namespace kernelmill
