// A run: a few steps over one output folder, each resumable.
//
// Under DIR/.run/ every step has a folder: plan.json and its inputs, and for each finished
// partition a manifest with the outputs and rejects it names. A manifest appears by link(2), so the
// first writer wins and a killed run leaves no half partition. A step that finds its plan there
// resumes it, if the plan is the same; otherwise it says what changed and stops.
//
// Local state only: DIR/.run is not part of a published dataset.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "corpora/shards/shard.h"
#include "manifests/part_manifest.h"
#include "manifests/plan.h"
#include "stages/engine/step.h"

namespace kernelmill {

constexpr std::int64_t kMostPartitions = 99'999;  // Their names have five digits.

struct RunOptions {
  std::string output;             // DIR.
  bool shared = false;            // DIR may hold files that are no run's; otherwise it is refused.
  int jobs = 0;                   // Threads; 0 means one a processor.
  std::int64_t partitions = 16;   // Of every step. Changes commits, never contents.
  Digest tool;                    // Identity of the program, its worker and torch.
  bool shuffle = false;           // Partitions in random order: results must not depend on it.
  std::uint64_t shuffle_seed = 0;
};

class Run {
 public:
  // Makes DIR and takes its lock: kBusy while another process works there.
  static Result<Run> Open(const RunOptions& options);
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  const RunOptions& options() const { return options_; }
  // DIR/.run, for local state of the caller.
  std::string StatePath(const std::string& name) const;

  // Calls its argument once for each input, in any order. Inputs with equal keys must have equal
  // bodies, or a `merge` (corpora/shards/shard.h).
  using Emit = std::function<Status(std::string key, std::string body)>;
  using Propose = std::function<Status(const Emit& emit)>;

  // Does the step: freezes what `propose` emits as its plan (or takes up the plan that is there),
  // and processes every partition that is not committed yet. Returns the counts over all of them.
  Result<StepCounts> Do(Step& step, const Propose& propose, ShardSorter::Merge merge = nullptr);

  // The steps that Do() has finished, in order.
  struct Finished {
    Plan plan;
    StepCounts counts;
  };
  const std::vector<Finished>& finished() const { return finished_; }

  // Visits a finished step's outputs, in plan order.
  using VisitOutput = std::function<Status(std::string_view key, std::string_view body)>;
  Status ForEachOutput(std::string_view step, const VisitOutput& visit) const;
  // Proposes a finished step's outputs as they are.
  Propose OutputsOf(std::string step) const;
  // Visits a finished step's rejects: values are Reject encodings (corpora/quarantine.h).
  Status ForEachReject(std::string_view step, const VisitOutput& visit) const;
  Result<Plan> PlanOf(std::string_view step) const;
  // Whether the step has a plan and every partition of it is committed.
  bool IsComplete(std::string_view step) const;

  // Removes DIR/.run/steps, once everything is published.
  Status Forget();

 private:
  explicit Run(RunOptions options) : options_(std::move(options)) {}
  std::string StepFolder(std::string_view step) const;
  Result<Plan> Freeze(Step& step, const Propose& propose, const ShardSorter::Merge& merge);

  RunOptions options_;
  int lock_fd_ = -1;
  std::vector<Finished> finished_;
};

}  // namespace kernelmill
