// The record: the unit that kernelmill stores, hashes and audits. The steps "generate", "supply",
// "slice_kernels", "slice_ports" and "admit" make the first ones, every later step reads them, and
// a dataset consists of them.
//
//   content_id    = SHA-256 over kind and payload, without the origins. Equal content from two
//                   repositories is one record with two origins.
//   record_digest = SHA-256 over the whole envelope. It is a leaf of the dataset's Merkle tree.
//                   Leaves are ordered by content_id, so the root does not depend on partitions
//                   or shard sizes.
//
// A payload is canonical JSON with a version field "v", written and read only by the codec of its
// kind (corpora/records/task.h, corpora/records/annotation.h, …). It must not hold floats that
// torch computed, because their bits differ between processors.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/json.h"
#include "manifests/licence.h"
#include "manifests/origin.h"

namespace kernelmill {

// The kind of a payload. The list is closed: the names are part of every content_id.
enum class RecordKind {
  kTask,        // corpora/records/task.h: a PyTorch reference and its inputs.
  kAnnotation,  // corpora/records/annotation.h: what torch found when it ran one task.
  kKernel,  // corpora/records/kernel_source.h: a mined native kernel with the code that it needs.
  kPort,    // corpora/records/kernel_port.h: mined kernels in their versions for two platforms.
  kCandidate,  // corpora/records/candidate.h: an answer to a task, and its verdict.
  kCheck,      // corpora/records/check.h: a test that tells right candidates from wrong ones.
  kSample,     // corpora/records/sample.h: what a model wrote when it was given a task.
  kTraining,   // corpora/records/training_record.h: the messages of one row.
};
std::string_view RecordKindName(RecordKind kind);
Result<RecordKind> RecordKindFromName(std::string_view name);

// One step in the making of a record. `inputs` are the content_ids of the records it was made from.
struct Derivation {
  std::string step;   // "mine", "admit", "render", …
  int version = 1;    // The version of the step, which is raised when its output can change.
  Digest parameters;  // The digest of the configuration values that the step read.
  std::vector<Digest> inputs;

  friend bool operator==(const Derivation&, const Derivation&) = default;
};

struct Record {
  RecordKind kind = RecordKind::kTask;
  Json payload;
  // Facts that are covered by record_digest but not by content_id: split, weight, token counts,
  // evidence for arguments. Values are strings, integers, bools, and arrays of these.
  Json::Object attributes;
  std::vector<Origin> origins;            // Sorted, without repeats.
  // The distinct evidence, sorted; not parallel to `origins`.
  std::vector<LicenceEvidence> licences;
  std::vector<Derivation> lineage;        // Oldest first.

  Digest ContentId() const;
  Digest RecordDigest() const;

  // Whether a generator drew it. Otherwise it comes from a repository or a supplied file.
  bool generated() const {
    return std::any_of(origins.begin(), origins.end(),
                       [](const Origin& origin) { return origin.generated(); });
  }

  // The canonical bytes of the envelope, whose SHA-256 is RecordDigest().
  std::string Encode() const;
  static Result<Record> Decode(std::string_view bytes);

  // Adds the origins and licences of `twin`, which must have the same content. If attributes or
  // lineage differ, the smaller encoding wins, so that the result does not depend on the order of
  // merging.
  void Merge(const Record& twin);
};

// Adds `more` to the sorted `items` and removes duplicates.
template <typename T>
void Unite(std::vector<T>* items, const std::vector<T>& more) {
  items->insert(items->end(), more.begin(), more.end());
  std::sort(items->begin(), items->end());
  items->erase(std::unique(items->begin(), items->end()), items->end());
}

}  // namespace kernelmill
