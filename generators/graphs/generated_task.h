// A sampled graph as a task: its two sources, and what is known of it.
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

// The Git object id of kernelmill's own LICENSE, under which the texts are.
inline constexpr std::string_view kOwnLicenceBlob = "c6f0e05f587a4731d40354543e15521248ad1671";

// The tasks of one run, in the order of their indices. No two of them have the same graph: of equal
// ones the lowest index stays.
class TaskGenerator {
 public:
  explicit TaskGenerator(SamplerOptions options);

  // Goes on to the next task. False where none was found among so many indices that the targets are
  // hardly to be met.
  bool Next();
  // Goes to this index, whatever came before. False where it has no task.
  bool Go(std::uint64_t index);

  const GraphSampler& graph() const { return sampler_; }
  // What the last text was written by.
  const PyTorchSource& source() const { return source_; }
  std::uint64_t index() const { return index_; }
  const Digest& hash() const { return hash_; }
  // "s7-12-3f9a…": seed, index, and the first digits of the graph's hash.
  std::string Id() const;
  // Appends the task's text.
  void AppendSource(SourceSizes sizes, std::string* text);
  // id, level, operators, reference, inputs, outputs, flops, bytes, shape_contract and, for checks,
  // the same at small sizes.
  Json ToJson();
  // The task as kernelmill stores it, with the text at large sizes, its origin and its licence. Its
  // attributes: "name" is Id(); "check" the text at small sizes; "level"; "graph" the graph's hash;
  // "pattern" its hash whatever the sizes.
  Record ToRecord();
  Origin ToOrigin() const;

 private:
  Json::Object AtSizes(SourceSizes sizes);
  // Of the last text.
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
