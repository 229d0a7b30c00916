// Step "join": makes a record of each sample in the files that the configuration key `samples`
// names, and finds its task. Runs in the recipe "rft" after "admit"; "verify" judges the samples.
//
// What is kept depends neither on the order of the lines nor on the format of the files: samples
// are numbered, and repeated ones found, in the order of their content. Of two different samples
// with one id, the one whose content_id is smaller is kept.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "corpora/records/record.h"
#include "stages/engine/step.h"
#include "stages/engine/step_context.h"
#include "stages/publishable/excluded_records.h"
#include "stages/retry/retry_folder.h"
#include "stages/samples/run_tasks.h"
#include "stages/samples/sample_tasks.h"

namespace kernelmill {

// Tasks that exclude_records or exclude_sources leaves out. Samples of them are dropped, since a
// quarantine would keep their text.
struct LeftOutTasks {
  ExcludedRecords excluded;
  SampleTasks names;

  bool Has(const std::string& name) const;
  // Whether the sample of a JoinedSample is itself left out.
  Result<bool> HasSample(const Json& joined) const;
};
// Those that the finished step "recall" left out.
Result<LeftOutTasks> LeftOutTasksOf(const Run& run, const Config& config);

inline constexpr char kUnusablePrompts[] = "unusable_prompts";

class JoinStep : public Step {
 public:
  // `backend`: of samples that name none. `previous`: the round whose repair prompts samples may
  // answer; null in the first round. `left_out`: LeftOutTasksOf().
  JoinStep(RunTasks tasks, std::string backend,
           std::shared_ptr<const RetryFolder> previous = nullptr, LeftOutTasks left_out = {})
      : tasks_(std::move(tasks)),
        backend_(std::move(backend)),
        previous_(std::move(previous)),
        left_out_(std::move(left_out)) {}

  std::string_view Name() const override { return "join"; }
  int Version() const override { return 2; }
  Json Parameters() const override;
  // Input: a JoinedSample, or {"reason", "detail", "bytes"} for what is none. Kept: the
  // JoinedSample; the counter kUnusablePrompts has those without the prompt that their line has.
  // Dropped: samples that are left out, and those of such tasks. Rejected: malformed
  // lines, samples without a task, repeated samples, and answers to repair prompts that were not
  // asked, with the bytes of their line.
  Result<Outcome> Process(const Input& input, Lane& lane) override;

  // The samples of all sources. Every file is read twice; memory grows with the number of samples,
  // not with their text. With `wanted`, only samples of recalled tasks.
  Run::Propose Inputs(const std::vector<SampleSource>& sources, const OriginFilter& wanted) const;

 private:
  // The record, with the prompt that was asked if the sample answers a repair prompt.
  Record RecordOf(const ModelSample& sample, const Digest& task, const SampleSource& source) const;
  // The repair prompt that the sample answers; null if it answers another prompt.
  const RepairRequest* RequestOf(const ModelSample& sample, const Digest& task) const;
  // Why the sample belongs to another round.
  std::optional<SampleProblem> ProblemOf(const ModelSample& sample, const Digest& task) const;

  const RunTasks tasks_;
  const std::string backend_;
  const std::shared_ptr<const RetryFolder> previous_;
  const LeftOutTasks left_out_;
};

}  // namespace kernelmill
