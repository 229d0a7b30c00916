// The judges of one thread, with the checkout's verdict store in front of them. Every part of the
// program that judges candidates (the steps, the commands, the demo) asks a pool.
//
// A pool holds one judge for each combination of backend, policy and extra runs that it is asked
// for. All of them share one set of worker processes, so a reference that runs for one judge does
// not run again for the next. Judges, workers and the store are started or opened when they are
// first needed; the processes end with the pool.
//
// A pool is not thread-safe: each lane (stages/engine/step.h) owns one. Pools of several threads
// and programs may share a store.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "corpora/records/verdict.h"
#include "stages/engine/tool_identity.h"
#include "stages/verify/judge/cpu_judge.h"
#include "stages/verify/judge/judge.h"
#include "stages/verify/judge/verdict_store.h"

namespace kernelmill {

struct StepContext;

// What a pool does with the verdict store.
enum class StoreUse {
  kUse,   // Takes a verdict from the store if it is there; judges otherwise, and stores the result.
  kTake,  // Takes a verdict from the store, and judges nothing: what is not there is "infra".
  kRenew,   // Judges every candidate, and replaces what the store holds.
  kIgnore,  // Judges every candidate, and neither reads nor writes the store.
};

// What a step of a run does with it: an audit takes no stored verdict as proof.
StoreUse StoreUseOf(const StepContext& context);

class JudgePool {
 public:
  explicit JudgePool(StoreUse store_use = StoreUse::kUse) : store_use_(store_use) {}

  // For the candidates from now on.
  void Use(StoreUse store_use) { store_use_ = store_use; }

  struct Judged {
    std::string key;  // VerdictKey().
    Verdict verdict;
    bool from_store = false;
  };
  // `reference` and `code` as in Judge::Verify(). Candidates of the same reference should be judged
  // in a row, because the results of a reference are kept until another reference is passed. An end
  // of a worker or compiler that the candidate did not bring about, again and again, is a verdict
  // "infra", which is not stored; the next candidate gets new workers, and if those do not start
  // either, it is a Status.
  Result<Judged> JudgeCandidate(const JudgingChoice& choice, const std::string& reference,
                                const std::optional<std::string>& code);

  // The key of a candidate's verdict. Judges nothing.
  Result<std::string> KeyOf(const JudgingChoice& choice, const std::string& reference,
                            const std::optional<std::string>& code);

  // Judge::Build() for a candidate whose verdict is not known: the libraries are in the build store
  // then. Returns why that was not possible, as the verdict "infra" of JudgeCandidate() would say
  // it; empty if it was.
  Result<std::string> BuildCandidate(const JudgingChoice& choice, const std::string& reference,
                                     const std::optional<std::string>& code);

  // Like JudgeCandidate(), but a verdict "infra" is returned as a Status, for callers that cannot
  // go on without a verdict.
  Result<Verdict> JudgeOrFail(const JudgingChoice& choice, const std::string& reference,
                              const std::optional<std::string>& code);

  // JudgeWorkers::ForReferences(). The pool owns it.
  Result<TorchWorker*> ReferenceWorker() { return workers_->ForReferences(); }

 private:
  struct PreparedJudge {
    JudgingChoice choice;
    JudgeOptions options;
    std::optional<Judge> judge;  // Started with the first candidate that the store does not know.
  };
  Result<PreparedJudge*> PreparedFor(const JudgingChoice& choice);
  Status OpenStore();
  Status StartJudge(PreparedJudge* prepared);
  Result<Verdict> AskJudge(PreparedJudge* prepared, const std::string& reference,
                           const std::optional<std::string>& code);

  StoreUse store_use_;
  std::shared_ptr<JudgeWorkers> workers_ = std::make_shared<JudgeWorkers>();
  std::list<PreparedJudge> prepared_;
  std::optional<VerdictStore> store_;
  std::optional<ToolIdentity> tool_;
};

}  // namespace kernelmill
