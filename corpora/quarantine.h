// Quarantine: what was rejected, why, and its original bytes, so that a rejection can be looked at,
// argued with and replayed. DIR/quarantine/<step>.mdb is a shard with two kinds of records:
// "r" + 32 bytes, a reject without its bytes as JSON, and "o" + the SHA-256 of the original bytes,
// those bytes. Equal bytes are kept once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/shards/shard.h"
#include "manifests/digest.h"
#include "manifests/origin.h"
#include "manifests/status.h"

namespace kernelmill {

struct Reject {
  std::string step;             // Step::Name().
  std::string reason;           // A name from manifests/reason.h.
  std::string detail;           // One line for people.
  std::string key;              // Of the input in the step's plan.
  std::vector<Origin> origins;  // Where it came from, as far as that is known.
  std::string original;         // The rejected bytes, whatever they are.

  // For a shard between steps. Text fields that are not UTF-8 (a path that was refused for that)
  // come back with "\xHH" in place of their bytes above 0x7f.
  std::string Encode() const;
  static Result<Reject> Decode(std::string_view bytes);

  friend bool operator==(const Reject&, const Reject&) = default;
};

class QuarantineWriter {
 public:
  // Writes the shard `path`; sorts in the same folder.
  static Result<QuarantineWriter> Create(const std::string& path);
  // In any order.
  Status Add(const Reject& reject);
  // kExists when the path is taken already.
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
  // In an order that depends on the rejects alone. Each comes with its original bytes.
  Status ForEach(const std::function<Status(const Reject&)>& visit) const;

 private:
  explicit QuarantineReader(ShardReader shard) : shard_(std::move(shard)) {}

  ShardReader shard_;
};

}  // namespace kernelmill
