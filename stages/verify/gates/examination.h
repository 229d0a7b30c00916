// The state of one candidate while it passes the gates: what is known about it so far, its verdict,
// and the functions that run it and end it. Gates share nothing else; the request of every run is
// built again from the members that do not change.
//
// Not thread-safe. It borrows the options, the workers and the texts, which have to outlive it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "stages/verify/build/candidate_libraries.h"
#include "stages/verify/candidate/candidate_run.h"
#include "stages/verify/gates/gate.h"
#include "stages/verify/judge/judge_options.h"
#include "stages/verify/judge/judge_workers.h"
#include "stages/verify/legality/policy.h"
#include "stages/verify/reference/reference_runs.h"

namespace kernelmill {

// The name of the candidate's Python text in findings.
inline constexpr char kCandidateFile[] = "candidate.py";

// What a message says of a trial with AskedTrial::as_device, before its detail.
std::string AsDevice(const std::string& detail);

class Examination {
 public:
  // `reference`: the task's text. `answer`: the candidate's text; nothing if a message holds none.
  Examination(const JudgeOptions& options, JudgeWorkers* workers, const std::string& reference,
              const std::optional<std::string>& answer);

  const JudgeOptions& options() const { return options_; }
  const VerifyPolicy& policy() const { return *options_.policy; }
  // The seed of the options or, with a secret, one that follows from both and the task.
  std::uint64_t seed() const { return seed_; }
  JudgeWorkers& workers() { return *workers_; }
  const std::string& reference_text() const { return reference_text_; }
  const std::optional<std::string>& answer() const { return answer_; }
  Verdict& verdict() { return verdict_; }
  // A verdict that says only how the candidate is judged.
  Verdict Unjudged() const;
  const CandidateLibraries& libraries() const { return libraries_; }

  // Set by the gate "extract": the code without a byte order mark, and what legality.py found in
  // it.
  std::string code;
  std::vector<VerdictFinding> text_findings;
  // Set by the gate "reference". Owned by the workers.
  ReferenceRuns* reference_runs = nullptr;
  // ReferenceRuns::UseBase(), and the verdict says so.
  Result<bool> UseBase(BaseSet set);

  // Runs of the candidate.

  // A request with all that runs have in common; a caller changes its copy.
  CandidateRequest Request() const;
  // The same for an instrumented build: with its libraries, and with four times the memory and
  // processor time. Nothing if one of the libraries does not build.
  Result<std::optional<CandidateRequest>> RequestWith(const InstrumentedBuild& build) const;
  // Runs the trials. The limits of `request` are for the usual number of trials per process
  // (kTrialsInLimits) and are raised for more trials. A candidate that asks for builds ends in a
  // run with `wanted` and without trials. One that calls an operator of torch that is not allowed
  // ends with the fault "illegal", which every gate has to respect.
  Result<CandidateRun> Run(TorchWorker* worker, CandidateRequest request,
                           std::vector<AskedTrial> trials, const ReferenceRun& against) const;
  // The same, and builds what the candidate asks for until it runs: a run has a fault, or all of its
  // trials. A failed build is a fault of the run. Without `instrumented` it runs in the worker for
  // plain builds, otherwise in that of this build, for which `request` was made (RequestWith()).
  Result<CandidateRun> RunAndBuild(CandidateRequest request, std::vector<AskedTrial> trials,
                                   const ReferenceRun& against,
                                   const InstrumentedBuild* instrumented = nullptr);
  // The worker for candidates, in the environment of an InstrumentedBuild if one is given.
  Result<TorchWorker*> CandidateWorker(
      const std::vector<std::pair<std::string, std::string>>& environment = {});

  // Judgements that several gates share. They return kPassed if nothing is wrong.

  // How many bytes of the device forward() may move to the host, or send back as values that depend on
  // these: VerifyPolicy::host_bytes, but no more than a byte for each four elements of the inputs, and
  // no less than a number.
  std::int64_t MostHostBytes() const;
  // Whether the operators of torch that a trial ran are allowed.
  GateResult JudgeOperators(const CandidateTrial& trial);
  // Whether one of the executor's findings ends a candidate.
  GateResult JudgeFindings(const std::vector<VerdictFinding>& findings);
  // Copies the launches of the first trial into the verdict, with their occupancy.
  void TakeLaunches(const CandidateRun& run);
  // Whether forward() reads values of device memory on the host, in the run of TakeLaunches().
  bool reads_results() const { return reads_results_; }

  // Sets the verdict "correct". To be called when no gate has ended the candidate.
  void Accept();

  // Functions that end the candidate. All return kEnded.

  // Ends it at the gate that is examining it.
  GateResult End(VerdictStatus status, std::string_view reason, std::string detail = "");
  GateResult EndIllegal(const std::string& reason, const std::string& detail);
  // Ends it at the gate that the fault names. If the candidate fails while it loads and has run
  // without a library that failed to build, that build is reported as the cause.
  GateResult EndWith(const CandidateFault& fault);

 private:
  // What the reference ran, for the rules on operators. `own_layout`: in trials with the layout of
  // the task's own inputs.
  ReferenceOperators OperatorsOfReference(bool own_layout) const;
  CandidateFault FaultOf(const DispatchedOperator& refused,
                         const ReferenceOperators& of_reference) const;

  // ExecutionOptions::residency of the next run.
  std::int64_t Residency() const;

  const JudgeOptions& options_;
  const std::uint64_t seed_;
  JudgeWorkers* workers_;
  const std::string& reference_text_;
  const std::optional<std::string>& answer_;
  CandidateLibraries libraries_;
  Verdict verdict_;
  bool reads_results_ = false;
  std::int64_t trials_run_ = 0;  // Of all runs: what fresh memory holds is different in each trial.
};

// The limits with which a run of so many trials may take as long as one of the usual number.
WorkerLimits LimitsOfAll(WorkerLimits limits, std::size_t trials);

// The trials of a reference whose values are of the task's own kind, or all others, in the task's
// own layout.
std::vector<AskedTrial> TrialsWhere(const ReferenceRun& reference, bool own_values);

}  // namespace kernelmill
