// A run: a sequence of resumable steps that work in one output folder (DIR).
//
// Every step has a folder DIR/.run/steps/NAME. It holds plan.json, the shard of the step's inputs
// and, for each finished partition, a manifest that lists the shards of its outputs and rejects.
// Manifests are created with link(2), so the first writer wins and a killed run leaves no
// half-written partition. A step that finds a plan in its folder resumes it if its own plan is the
// same; otherwise it reports what changed and stops.
//
// DIR/.run is local state and not part of a published dataset.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "corpora/shards/shard.h"
#include "manifests/partition_manifest.h"
#include "manifests/plan.h"
#include "stages/engine/step.h"

namespace kernelmill {

constexpr std::int64_t kMostPartitions = 99'999;  // Their names have five digits.

struct RunOptions {
  std::string output;             // DIR.
  bool shared = false;            // DIR may hold other files; without this it is refused then.
  int jobs = 0;                   // Threads; 0 means one per processor.
  std::int64_t partitions = 16;   // Of every step. The number does not change the contents.
  Digest tool;                    // ToolIdentity::digest.
  bool shuffle = false;           // Partitions in random order: results must not depend on it.
  std::uint64_t shuffle_seed = 0;
};

class Run {
 public:
  // Creates DIR and locks it. kBusy while another process works there.
  static Result<Run> Open(const RunOptions& options);
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  const RunOptions& options() const { return options_; }
  // The path DIR/.run/`name`, for local state of the caller.
  std::string StatePath(const std::string& name) const;

  // Proposes a step's inputs: calls `emit` once for each, in any order. Inputs with equal keys must
  // have equal bodies, or Do() needs a `merge` (corpora/shards/shard.h).
  using Emit = std::function<Status(std::string key, std::string body)>;
  using Propose = std::function<Status(const Emit& emit)>;

  // Runs a step: freezes the inputs that `propose` emits as the step's plan, or resumes the plan
  // that the folder holds, and processes every partition that is not committed yet. Returns the
  // counts over all partitions.
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
  // Visits the frozen inputs of a step, in plan order.
  Status ForEachInput(std::string_view step, const VisitOutput& visit) const;
  // Visits a finished step's rejects: values are encoded rejects (corpora/reject.h).
  Status ForEachReject(std::string_view step, const VisitOutput& visit) const;
  Result<Plan> PlanOf(std::string_view step) const;
  // Whether the step has a plan and every partition of it is committed.
  bool IsComplete(std::string_view step) const;

  // Removes DIR/.run/steps: after a dataset is published, or before a run that starts again.
  Status RemoveSteps();

 private:
  explicit Run(RunOptions options) : options_(std::move(options)) {}
  std::string StepFolder(std::string_view step) const;
  Result<Plan> Freeze(Step& step, const Propose& propose, const ShardSorter::Merge& merge);

  RunOptions options_;
  int lock_fd_ = -1;
  std::vector<Finished> finished_;
};

}  // namespace kernelmill
