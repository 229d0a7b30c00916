// Reads the records of a published dataset from its shards: all of them in content_id order, or one
// by its id or by the beginning of its id. Used by the commands that inspect, trace and verify a
// dataset, and by a run whose dataset is published already, to count it again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/shards/shard.h"
#include "manifests/dataset_manifest.h"

namespace kernelmill {

// Every record that it returns matches its digest in the .digests file. Whether those digests are
// the published ones is checked by `audit`. Damage is kCorrupt, with the file and the record.
//
// Not thread-safe, because shards are opened when they are first needed: use one object per thread.
class DatasetReader {
 public:
  // kNotFound when the folder has no manifest.
  static Result<DatasetReader> Open(const std::string& folder);

  const DatasetManifest& manifest() const { return manifest_; }

  // Visits the records whose content_id is at least `first_id`, in order, until `visit` fails or
  // sets `more` to false.
  using Visit = std::function<Status(const Digest& content_id, const Record& record, bool* more)>;
  Status ForEach(const Digest& first_id, const Visit& visit);

  // std::nullopt when the dataset has no such record.
  Result<std::optional<Record>> Find(const Digest& content_id);

  // The only content_id that begins with `prefix`, 1 to 64 hexadecimal digits. kUsage when the
  // prefix is malformed or ambiguous, kNotFound when no id begins with it.
  Result<Digest> Resolve(std::string_view prefix);

 private:
  struct Shard {
    std::size_t number = 0;
    Digest first_id;
    std::optional<ShardReader> reader;
  };

  Result<const ShardReader*> Opened(Shard* shard);
  // The index of the last shard whose first content_id is at most `id`, or 0. Only this shard can
  // hold `id`.
  std::size_t ShardOf(const Digest& id) const;
  std::string PathOf(const std::string& relative) const { return folder_ + "/" + relative; }

  std::string folder_;
  DatasetManifest manifest_;
  std::vector<Shard> shards_;  // The shards that hold records, in order.
};

// The smallest content_id that begins with `prefix`; kUsage unless it is 1 to 64 hexadecimal
// digits.
Result<Digest> SmallestIdWithPrefix(std::string_view prefix);

}  // namespace kernelmill
