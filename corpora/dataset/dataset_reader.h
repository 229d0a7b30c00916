// The records of a published dataset: all in content_id order, or one by its id.
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

// Each record that it gives agrees with its digest in the .digests file; whether those are the
// published ones is for `audit` to say. Damage is kCorrupt and names file and record.
//
// Not thread-safe: shards are opened when they are first needed. One object a thread.
class DatasetReader {
 public:
  // kNotFound when the folder holds no manifest.
  static Result<DatasetReader> Open(const std::string& folder);

  const DatasetManifest& manifest() const { return manifest_; }

  // Visits the records with first <= content_id in order, until `visit` fails or sets `more` to
  // false.
  using Visit = std::function<Status(const Digest& content_id, const Record& record, bool* more)>;
  Status ForEach(const Digest& first, const Visit& visit);

  // Nothing when the dataset has no such record.
  Result<std::optional<Record>> Find(const Digest& content_id);

  // The one content_id that begins with these hexadecimal digits (1 to 64). kUsage when they are
  // none or several records have it, kNotFound when none has.
  Result<Digest> Resolve(std::string_view prefix);

 private:
  struct Shard {
    std::size_t number = 0;
    Digest first_id;
    std::optional<ShardReader> reader;
  };

  Result<const ShardReader*> Opened(Shard* shard);
  // The shard that holds the first content_id that is not below `id`, unless that is the first one
  // of the shard after it.
  std::size_t ShardOf(const Digest& id) const;
  std::string PathOf(const std::string& relative) const { return folder_ + "/" + relative; }

  std::string folder_;
  DatasetManifest manifest_;
  std::vector<Shard> shards_;  // Those that hold records, in order.
};

// The least content_id whose digits begin with `prefix`; kUsage unless it is 1 to 64 hexadecimal
// digits.
Result<Digest> FirstWithPrefix(std::string_view prefix);

}  // namespace kernelmill
