// Step "answer": writes native kernels for a task by lowering its graph, and keeps those that a
// judge has run and found right. Runs in the recipe "sft" after "admit", on all admitted tasks;
// "perturb", "check" and "render" use its records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/verdict.h"
#include "generators/lowering/lower_graph.h"
#include "manifests/config.h"
#include "stages/engine/run.h"
#include "stages/engine/step.h"
#include "stages/verify/judge/judge_pool.h"

namespace kernelmill {

std::vector<ConfigKey> AnswerKeys();

class AnswerStep : public Step {
 public:
  // kConfig for an unknown backend. `store_use`: kIgnore for an audit, which takes no stored
  // verdict as proof.
  static Result<AnswerStep> Of(const Config& config, StoreUse store_use = StoreUse::kUse);

  std::string_view Name() const override { return "answer"; }
  int Version() const override { return 22; }
  Json Parameters() const override;
  // Whatever compiles and runs kernels.
  Result<std::string> Surroundings() const override { return ExecutorKey(); }
  Result<std::unique_ptr<Lane>> OpenLane() override;
  // `input.body`: {"record": the task's record, "wanted": whether the limit leaves it in, in the
  // seeded order of all tasks}. Kept: a record of kind kCandidate for every right answer, each
  // under its content_id; other answers to the same task are only counted. Dropped: tasks beyond
  // the limit, and tasks that cannot be lowered, with the obstacle. Rejected: tasks with answers of
  // which none is right, because each is wrong, undecided or of another status than `correct`, as
  // {"task": its code, "answers": [{"backend", "structure", "code", "verdict"}]}.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The tasks among the outputs of `input_step`. With `wanted`, only tasks of these origins, and
  // the limit drops none.
  Run::Propose Inputs(const Run& run, std::string input_step,
                      const OriginFilter& wanted = nullptr) const;

 private:
  AnswerStep() = default;
  // The candidate record of a right answer to `task`. `graph` is the graph of the task's operators.
  Record RecordOf(const Record& task, const LoweredAnswer& answer, const OperatorGraph& graph,
                  std::string_view backend, const Verdict& verdict) const;

  std::int64_t seed_ = 0, limit_ = 0;
  int variants_ = 0;
  std::vector<std::string> backends_;
  JudgingChoice judging_;
  StoreUse store_use_ = StoreUse::kUse;
};

}  // namespace kernelmill
