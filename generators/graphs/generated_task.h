// Generates tasks: drawn graphs without duplicates, with their source texts and their records. The
// step `generate` and the command of that name write them. A record holds the texts, the
// descriptions of the inputs (InputSpec), the contract, the level and two hashes of the graph
// ("graph", "pattern"), but not the graph: `answer` captures it from the text again.
#pragma once

#include <string>
#include <unordered_set>

#include "corpora/operators/canonical_hash.h"
#include "corpora/records/record.h"
#include "corpora/records/task.h"
#include "generators/graphs/graph_sampler.h"
#include "generators/pytorch/pytorch_source.h"
#include "manifests/json.h"

namespace kernelmill {

// The Git object id of kernelmill's own LICENSE, which applies to generated texts.
inline constexpr std::string_view kOwnLicenceBlob = "c6f0e05f587a4731d40354543e15521248ad1671";

// The tasks of one run, in the order of their indices. No two of them have the same graph: of equal
// graphs the one with the lowest index is kept. Not thread-safe.
class TaskGenerator {
 public:
  explicit TaskGenerator(SamplerOptions options);

  // Moves to the next task. False when so many indices in a row gave none that the cost targets can
  // hardly be met.
  bool Next();
  // Moves to this index. False when it has no task. Does not look for duplicates.
  bool Go(std::uint64_t index);

  // Holds the graph of this task, at large and at small sizes.
  const GraphSampler& sampler() const { return sampler_; }
  // The writer of the last text, for its names.
  const PyTorchSource& source() const { return source_; }
  std::uint64_t index() const { return index_; }
  const Digest& hash() const { return hash_; }
  // "s7-12-3f9a…": seed, index, and the first digits of the graph's hash.
  std::string Id() const;
  // Appends the task's text.
  void AppendSource(SourceSizes sizes, std::string* text);
  // The task as JSON: id, level, operators, reference, inputs, outputs, flops, bytes,
  // shape_contract and, as "check", the same at small sizes.
  Json ToJson();
  // The task as a record, with the text at large sizes, its origin and its licence. Its attributes:
  // "name" is Id(), "check" the text at small sizes, "level" the level, "graph" the hash of the
  // graph, and "pattern" its hash without sizes.
  Record ToRecord();
  Origin ToOrigin() const;

 private:
  Json::Object AtSizes(SourceSizes sizes);
  // In the last text.
  InputSpec SpecOf(ValueId input) const;

  std::uint64_t seed_;
  GraphSampler sampler_;
  CanonicalHasher hasher_;
  PyTorchSource source_;
  std::unordered_set<std::uint64_t> seen_;
  std::uint64_t next_ = 0, index_ = 0;
  Digest hash_;
};

}  // namespace kernelmill
