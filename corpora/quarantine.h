// The quarantine: every rejected input with the reason and its original bytes, so that a rejection
// can be inspected, disputed and replayed. DIR/quarantine/<step>.mdb is a shard with two kinds of
// records: "r" + 32 bytes holds a reject as JSON without its bytes, and "o" + the SHA-256 of the
// bytes holds the bytes. Equal bytes are stored once.
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
  std::string detail;           // One line for the user.
  std::string key;              // The key of the input in the step's plan.
  std::vector<Origin> origins;  // Where the input came from, as far as that is known.
  std::string original;         // The rejected bytes, unchanged.

  // Encodes the reject as a value of a shard between steps. Text fields that are not UTF-8 (for
  // example a path that was rejected for that) are decoded with "\xHH" in place of the bytes above
  // 0x7f.
  std::string Encode() const;
  static Result<Reject> Decode(std::string_view bytes);

  friend bool operator==(const Reject&, const Reject&) = default;
};

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
