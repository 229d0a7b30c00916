// Selects training targets among judged samples: the correct samples of a task are clustered by
// structure, and a pool of different structures is kept, larger for harder tasks. MusaCoder draws
// the target at random from such a pool while it trains (arXiv 2606.04847); here the pool is
// exported with weights. K_max and the balancing are ours.
//
// Pure functions: the result depends on the samples alone, not on their order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/digest.h"
#include "manifests/json.h"

namespace kernelmill {

// What is known of one sample after it was judged.
struct JudgedSample {
  Digest id;            // Of the sample itself: breaks ties, and orders the result.
  std::string task;     // Samples with equal task and backend share a pool.
  std::string backend;  // "cuda" or "musa".
  // Whether the verdict says something about the sample (IsAboutCandidate()); others do not count
  // in the pass rate.
  bool judged = false;
  bool correct = false;
  // Why a correct sample must not be trained (sample_objection.h), or "". It still counts as
  // correct in the pass rate.
  std::string objection;
  Digest cluster;      // AnswerFingerprint::Cluster() of the code that was judged.
  double seconds = 0;  // Measured on a device; 0 means not measured.
  // Whether a device disagrees with the verdict. Such a sample is not correct.
  bool fails_on_device = false;
  std::int64_t sectors = 0;  // 32-byte sectors of global memory that a profile counted; 0: none.
  // Sets of sizes and layouts beyond the contract's for which it is right.
  std::int64_t sizes_passed = 0;
  std::int64_t tokens = 0;  // Of the whole row, prompt included.
  int level = 0;            // Of the task; 0 means unknown.
  std::string family;       // Operator family of the task; "" means unknown.
};

struct SelectionOptions {
  std::int64_t k_max = 8;
  std::int64_t max_tokens = 0;    // Of one sample; longer ones are rejected. 0 means no limit.
  std::int64_t token_budget = 0;  // Of all selected samples together. 0 means no limit.
  std::int64_t max_samples = 0;   // The same as a number of samples. 0 means no limit.
};

// A sample that was selected, with its place in its pool.
struct PooledSample {
  std::size_t sample = 0;  // An index into the samples.
  Digest pool_id;          // Of task and backend.
  Digest cluster_id;
  std::int64_t cluster_size = 0;  // The correct samples that it represents, itself included.
  double weight = 1;              // 1 / the number of selected samples of the pool.
};

struct UnselectedSample {
  std::size_t sample = 0;
  // A name from manifests/reason.h: "not_correct", "not_judged", "fails_on_device", the
  // objection, "over_budget", "same_structure", "pool_full" or "balance".
  std::string reason;
};

// What was selected of one pool, and what a random choice of as many samples would have covered.
struct PoolReport {
  Digest pool_id;
  std::string task;
  std::string backend;
  std::int64_t judged = 0;
  std::int64_t correct = 0;
  double pass_rate = 0;       // p̂ = (correct + 1) / (judged + 2).
  std::int64_t clusters = 0;  // Of correct samples without an objection.
  std::int64_t selected = 0;
  // The expected number of clusters among `selected` samples drawn without replacement.
  double random_clusters = 0;
};

struct SampleSelection {
  std::vector<PooledSample> selected;        // By pool, then by rank within it.
  std::vector<UnselectedSample> unselected;  // By sample id. With `selected`, all samples.
  std::vector<PoolReport> pools;             // By task and backend.
  // How many samples could be selected, because they are correct and have no objection, and how
  // many were, by axis ("pass_rate", "level", "family", "length") and value.
  struct Share {
    std::int64_t eligible = 0, selected = 0;
  };
  std::map<std::string, std::map<std::string, Share>> balance;

  // Totals, coverage against random choice, and `balance`, for the report.
  Json ToJson() const;
};

// K = min(clusters, ⌈k_max (1 − p̂)⌉), at least 1 when there is a cluster.
std::int64_t PoolSize(std::int64_t clusters, double pass_rate, std::int64_t k_max);

// From each pool the representatives of PoolSize() clusters. A representative is the best sample of
// its cluster: less measured time, fewer sectors, more sizes passed, then the smaller hash of its
// id; never by length. Larger clusters do not come first: clusters are ranked like their
// representatives. When a budget binds, samples are taken one by one, each time from the values of
// pass rate, level, operator family and length that have the fewest selected samples.
SampleSelection SelectSamples(const std::vector<JudgedSample>& samples,
                              const SelectionOptions& options);

}  // namespace kernelmill
