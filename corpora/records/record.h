// The record: what kernelmill stores, hashes and audits.
//
//   content_id    = SHA-256 over kind and payload. Nothing of where it came from: equal content
//   from
//                   two repositories is one record with two origins.
//   record_digest = SHA-256 over the whole envelope. The leaf of the dataset's Merkle tree; leaves
//                   are ordered by content_id, so partitions and shard sizes leave the root alone.
//
// A payload is canonical JSON, written and read only by the codec of its kind (corpora/records/task.h,
// corpora/records/annotation.h, …), each with a version field "v". No float that torch computed may be in
// it: their bits differ between processors.
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

// What a payload is. Closed; the names are part of every content_id.
enum class RecordKind {
  kTask,        // corpora/records/task.h: a PyTorch reference and its inputs.
  kAnnotation,  // corpora/records/annotation.h: what torch really computed for one task.
  kKernel,      // corpora/records/kernel_source.h: a mined native kernel with its slice.
  kCandidate,   // corpora/records/candidate.h: an answer to a task, and what running it showed.
  kCheck,       // corpora/records/check.h: a test that tells right candidates from wrong ones.
  kTraining,    // corpora/records/training_record.h: messages, one row of the dataset.
};
std::string_view RecordKindName(RecordKind kind);
Result<RecordKind> RecordKindFromName(std::string_view name);

// One step of a record's making: `inputs` are the content_ids it was made from.
struct Derivation {
  std::string step;   // "mine", "admit", "render", …
  int version = 1;    // Of the step; it changes when the step's output can change.
  Digest parameters;  // Digest of the configuration values that the step read.
  std::vector<Digest> inputs;

  friend bool operator==(const Derivation&, const Derivation&) = default;
};

struct Record {
  RecordKind kind = RecordKind::kTask;
  Json payload;
  // Facts that do not identify the content but are covered by the digest: split, weight, token
  // counts, argument provenance. Flat: strings, integers, bools, and arrays of them.
  Json::Object attributes;
  std::vector<Origin> origins;            // Sorted, without repeats.
  std::vector<LicenceEvidence> licences;  // Parallel to nothing: the distinct evidence, sorted.
  std::vector<Derivation> lineage;        // Oldest first.

  Digest ContentId() const;
  Digest RecordDigest() const;

  // Whether it was drawn at random and not found in, or supplied by, somebody's files.
  bool generated() const { return !origins.empty() && origins.front().generated(); }

  // The canonical bytes of the envelope; RecordDigest() is their SHA-256.
  std::string Encode() const;
  static Result<Record> Decode(std::string_view bytes);

  // Takes over the origins and licences of `twin`, which has the same content. Where attributes or
  // lineage differ the smaller encoding wins, so that the result does not depend on order.
  void Merge(const Record& twin);
};

// Adds `more` to the sorted `items`, without repeats.
template <typename T>
void Unite(std::vector<T>* items, const std::vector<T>& more) {
  items->insert(items->end(), more.begin(), more.end());
  std::sort(items->begin(), items->end());
  items->erase(std::unique(items->begin(), items->end()), items->end());
}

}  // namespace kernelmill
