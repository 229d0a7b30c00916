// The gates that a candidate passes, in their order.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/records/verdict.h"
#include "stages/verify/build/compile_gate.h"
#include "stages/verify/candidate_run.h"
#include "stages/verify/judge_options.h"
#include "stages/verify/reference_runs.h"

namespace kernelmill {

// One candidate on its way. Each gate returns false when the verdict is final.
class Gates {
 public:
  Gates(const JudgeOptions& options, TorchWorker* judge_worker, TorchWorker* candidate_worker);

  Verdict& verdict() { return verdict_; }

  bool Extract(const std::optional<std::string>& code);
  Result<bool> Legality();
  bool TakeReference(ReferenceRuns* reference);
  // Builds what it wants until it runs, and judges the trials with the task's own kind of inputs.
  Result<bool> OwnTrials();
  // Its kernels switched off: what is right all the same has not come from them.
  Result<bool> Decoy();
  // Right where the task is; what about other values, layouts and sizes?
  Result<bool> Generality();
  // What is right by luck: accesses outside of their memory, or in no order.
  Result<bool> Sanitize(const CheckedBuild& check, TorchWorker* checked_worker);
  // At the task's very sizes, where it ran at smaller ones so far.
  Result<bool> FullSize();
  // No gate: what a profiler would show of the launches.
  Status Count(const CheckedBuild& counting, TorchWorker* worker);

  void Accept() {
    verdict_.gate = kPassedGate;
    End(VerdictStatus::kCorrect, "");
  }

 private:
  bool End(VerdictStatus status, std::string_view reason, std::string detail = "");
  bool EndIllegal(const std::string& reason, const std::string& detail);
  // With the libraries of another kind of build; nothing where one of them does not build.
  Result<std::optional<CandidateRequest>> RequestWith(const CheckedBuild& check);
  Result<CandidateRun> Run(std::vector<AskedTrial> trials, const ReferenceRun& reference);
  // Builds what it wants until it runs; what does not build is its fault.
  Result<CandidateRun> RunBuilt(const std::vector<AskedTrial>& trials,
                                const ReferenceRun& reference);
  bool JudgeFindings(const std::vector<VerdictFinding>& findings);
  void TakeLaunches(const CandidateRun& run);
  bool EndWith(const CandidateFault& fault);
  Result<bool> JudgeOwn(const CandidateRun& run);
  bool JudgeOperators(const CandidateTrial& trial);
  Result<bool> OtherTrials(const std::vector<AskedTrial>& asked, const ReferenceRun& reference,
                           const std::string& where);
  void AddTrial(const ReferenceRun& reference, const AskedTrial& asked, bool passed);
  bool EndNotGeneral(const ReferenceRun& reference, const AskedTrial& asked,
                     const std::string& where, const std::string& detail);

  const JudgeOptions& options_;
  TorchWorker* text_reader_;
  TorchWorker* worker_;
  CompileGate compiler_;
  ReferenceRuns* reference_ = nullptr;
  CandidateRequest request_;
  Verdict verdict_;
};

}  // namespace kernelmill
