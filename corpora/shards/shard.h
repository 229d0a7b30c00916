// A shard: one LMDB file that maps keys to values, in key order, with values compressed by zstd.
// Shards hold all data between steps and all published records.
//
// The file is LMDB with subdir=False. Each value is one zstd frame with content size and checksum.
// Two uncompressed values are stored beside the records: "__meta__", JSON {"v", "schema", "count",
// "codec"}, and, with codec "zstd+dictionary", the dictionary as "__dictionary__". The file ends
// with its last used page. A shard is written as "<path>.tmp-…", synced, and renamed, so a file
// with its final name is complete. Digests are taken of the records (corpora/records/record.h) and,
// to audit the bytes, of the whole file (manifests/dataset_manifest.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// The key of the i-th record of a published shard: 8 bytes, big-endian.
std::string IndexKey(std::uint64_t index);

struct ShardOptions {
  std::string schema;      // The format of the values, e.g. "kernelmill.record.v1".
  std::string dictionary;  // A zstd dictionary, or empty.
  int level = 3;           // zstd level.
};

class ShardWriter {
 public:
  // kExists when `path` exists already.
  static Result<ShardWriter> Create(const std::string& path, const ShardOptions& options);
  ~ShardWriter();  // Removes the temporary file unless Finish() was called.
  ShardWriter(ShardWriter&&) noexcept;
  ShardWriter& operator=(ShardWriter&&) noexcept;

  // Keys must ascend strictly, have 1 to 511 bytes, and must not begin with "__". A value may have
  // at most 256 MiB.
  Status Append(std::string_view key, std::string_view value);
  std::uint64_t count() const;
  // Syncs and renames the file. kExists when `path` exists by then. No call may follow.
  Status Finish();

 private:
  struct State;
  explicit ShardWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class ShardReader {
 public:
  // kCorrupt, with the file name, when it is not a complete shard. Every reachable page is checked
  // first, because LMDB trusts the file and would crash. Damage inside a value is found when that
  // value is read.
  static Result<ShardReader> Open(const std::string& path);
  ~ShardReader();
  ShardReader(ShardReader&&) noexcept;
  ShardReader& operator=(ShardReader&&) noexcept;

  const std::string& path() const;
  const std::string& schema() const;
  std::uint64_t count() const;

  // Thread-safe. std::nullopt when the key is absent.
  Result<std::optional<std::string>> Get(std::string_view key) const;
  // Visits the records whose key is at least `first_key`, in key order, until `visit` fails or sets
  // `more` to false. An empty `first_key` starts at the beginning. Thread-safe.
  using Visit = std::function<Status(std::string_view key, std::string_view value, bool* more)>;
  Status ForEach(std::string_view first_key, const Visit& visit) const;

 private:
  struct State;
  explicit ShardReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Sorts more records than fit in memory, in a temporary LMDB file. The file has no name, so it
// disappears however the process ends.
class ShardSorter {
 public:
  // Combines two values of the same key. Without it the smaller value wins. The result must not
  // depend on the order of the arguments or of the merges.
  using Merge = std::function<Result<std::string>(std::string_view a, std::string_view b)>;
  static Result<ShardSorter> Create(const std::string& folder, Merge merge = nullptr);
  ~ShardSorter();
  ShardSorter(ShardSorter&&) noexcept;
  ShardSorter& operator=(ShardSorter&&) noexcept;

  Status Put(std::string_view key, std::string_view value);
  // The number of calls of Put(). ForEach() visits fewer records if keys were equal.
  std::uint64_t count() const;
  Status ForEach(const ShardReader::Visit& visit);

 private:
  struct State;
  explicit ShardSorter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
