// A shard: one LMDB file of key → value in key order, values compressed with zstd. Everything that
// kernelmill keeps between steps and everything it publishes rests in shards.
//
// On disk: LMDB with subdir=False. Each value is one zstd frame with content size and checksum.
// Beside the records, uncompressed: "__meta__", JSON {"v", "schema", "count", "codec"}, and with
// codec "zstd+dictionary" the dictionary under "__dictionary__". The file ends with its last used
// page. A shard is written as "<path>.tmp-…", synced, and only then given its name, so a file under
// its own name is whole. What is digested is the records (corpora/records/record.h), and for the audit of
// bytes the file as a whole (manifests/dataset_manifest.h).
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
  std::string schema;      // What the values are, e.g. "kernelmill.record.v1".
  std::string dictionary;  // A zstd dictionary, or empty.
  int level = 3;           // zstd level.
};

class ShardWriter {
 public:
  // kExists when `path` is there already.
  static Result<ShardWriter> Create(const std::string& path, const ShardOptions& options);
  ~ShardWriter();  // Removes the temporary file unless Finish() was called.
  ShardWriter(ShardWriter&&) noexcept;
  ShardWriter& operator=(ShardWriter&&) noexcept;

  // Keys must ascend strictly, have 1 to 511 bytes, and must not begin with "__". A value has at
  // most 256 MiB.
  Status Append(std::string_view key, std::string_view value);
  std::uint64_t count() const;
  // Syncs and renames. kExists when the path is taken already. Nothing may follow it.
  Status Finish();

 private:
  struct State;
  explicit ShardWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class ShardReader {
 public:
  // kCorrupt, naming the file, when it is not a whole shard: every page that can be reached is
  // checked first, because LMDB itself trusts the file and would crash. Damage inside a value shows
  // when that value is read.
  static Result<ShardReader> Open(const std::string& path);
  ~ShardReader();
  ShardReader(ShardReader&&) noexcept;
  ShardReader& operator=(ShardReader&&) noexcept;

  const std::string& path() const;
  const std::string& schema() const;
  std::uint64_t count() const;

  // Thread-safe. Nothing when the key is absent.
  Result<std::optional<std::string>> Get(std::string_view key) const;
  // Visits the records with first <= key, in key order, until `visit` fails or sets `more` to
  // false. An empty `first` means from the start. Thread-safe.
  using Visit = std::function<Status(std::string_view key, std::string_view value, bool* more)>;
  Status ForEach(std::string_view first, const Visit& visit) const;

 private:
  struct State;
  explicit ShardReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Sorts more records than fit in memory: a temporary LMDB file without a name, gone at the end
// however the process ends.
class ShardSorter {
 public:
  // `merge` decides what becomes of two values under one key; without it the smaller value wins.
  // It must not depend on the order of its arguments, nor on that of the merges.
  using Merge = std::function<Result<std::string>(std::string_view a, std::string_view b)>;
  static Result<ShardSorter> Create(const std::string& folder, Merge merge = nullptr);
  ~ShardSorter();
  ShardSorter(ShardSorter&&) noexcept;
  ShardSorter& operator=(ShardSorter&&) noexcept;

  Status Put(std::string_view key, std::string_view value);
  // Calls of Put() so far. ForEach() visits fewer where keys were equal.
  std::uint64_t count() const;
  Status ForEach(const ShardReader::Visit& visit);

 private:
  struct State;
  explicit ShardSorter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
