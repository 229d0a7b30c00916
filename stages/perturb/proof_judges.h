// Judges of every kind that bugs ask for, each started when it is first needed.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "generators/perturbation/bug.h"
#include "stages/verify/judge.h"
#include "stages/verify/stored_verdicts.h"

namespace kernelmill {

class ProofJudges {
 public:
  // Asks judges, whatever anybody has worked out before.
  ProofJudges() = default;
  // Asks the checkout's store of verdicts first, and keeps in it what judges say.
  static Result<ProofJudges> WithStore();

  // backend: "cuda" or "musa". All that is asked about one reference is best asked in a row: what
  // was worked out for the last one is kept. A verdict "infra" is a Status.
  Result<Verdict> Verify(BugProof proof, std::string_view backend, const std::string& reference,
                         const std::string& code);

 private:
  struct Bench {
    bool musa;
    BugProof proof;
    JudgeOptions options;
    std::optional<Judge> judge;
  };
  Result<Bench*> BenchOf(bool musa, BugProof proof);

  std::list<Bench> benches_;
  std::shared_ptr<JudgeWorkers> workers_ = std::make_shared<JudgeWorkers>();
  std::optional<StoredVerdicts> stored_;
};

}  // namespace kernelmill
