// A run: a sequence of resumable steps that work in one output folder (DIR).
//
// Every step has a folder DIR/.run/steps/NAME. It holds plan.json, the shard of the step's inputs
// and, for each finished partition, a manifest that lists the shards of its outputs and rejects.
// Manifests are created with link(2), so the first writer wins and a killed run leaves no
// half-written partition. A step that finds a plan in its folder resumes it if its own plan is the
// same; otherwise it reports what changed and stops.
//
// One process leads a run: it freezes the plans, in order, and publishes. Open() makes sure that it
// is the only one in DIR. Any number of others, the ranks, may do partitions of a frozen plan at
// the same time, on any machine that sees DIR (Join()).
//
// DIR/.run is local state and not part of a published dataset.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "corpora/shards/shard.h"
#include "manifests/partition_manifest.h"
#include "manifests/plan.h"
#include "stages/engine/partition_work.h"
#include "stages/engine/step.h"
#include "stages/engine/step_executor.h"

namespace kernelmill {

constexpr std::int64_t kMostPartitions = 99'999;  // Their names have five digits.

struct RunOptions {
  std::string output;            // DIR.
  bool shared = false;           // DIR may hold other files; without this it is refused then.
  int jobs = 0;                  // Threads; 0 means one per processor.
  std::int64_t partitions = 16;  // Of every step. The number does not change the contents.
  Digest tool;                   // ToolIdentity::digest.
  std::string outcomes = {};     // The folder of the outcome store; "" for none.
  bool shuffle = false;          // Partitions in random order: results must not depend on it.
  std::uint64_t shuffle_seed = 0;
  StepExecutor* executor = nullptr;  // Null: partitions are done in this process.
};

class Run {
 public:
  // Creates DIR and locks it. kBusy while another process leads a run there.
  static Result<Run> Open(const RunOptions& options);
  // Joins the run in DIR as a rank, for Recall() and DoShare(). kNotFound if there is none.
  static Result<Run> Join(const RunOptions& options);
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
  // that the folder holds, and has every partition done that is not committed yet. Returns the
  // counts over all partitions, whose manifests and files have been checked.
  Result<StepCounts> Do(Step& step, const Propose& propose, ShardSorter::Merge merge = nullptr);

  // Of a rank: does the partitions of its share of a step whose plan is frozen. kPlanChanged if the
  // plan is another one than that of `step`, and kBusy if there is none yet.
  Status DoShare(Step& step, const Share& share);
  // Of a rank: takes over a step that the run has finished. kBusy if it has not.
  Status Recall(std::string_view step);

  // The steps that Do() has finished or Recall() has taken over, in order.
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

  // Removes DIR/.run/steps after a dataset is published. A rank that is still at work finds its
  // plan gone, and ends.
  Status RemoveSteps();
  // The same before a run that starts again. kBusy while ranks are at work, here or elsewhere.
  Status DiscardSteps();

 private:
  explicit Run(RunOptions options) : options_(std::move(options)) {}
  std::string StepFolder(std::string_view step) const;
  // What the plan of the step has to say before its inputs are known.
  Plan PlanFor(const Step& step) const;
  Result<Plan> Freeze(Step& step, const Propose& propose, const ShardSorter::Merge& merge);

  RunOptions options_;
  int lock_fd_ = -1;
  std::vector<Finished> finished_;
};

}  // namespace kernelmill
