// Judges of every kind that bugs ask for, each started when it is first needed.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "generators/perturbation/bug.h"
#include "stages/verify/judge.h"

namespace kernelmill {

class ProofJudges {
 public:
  // backend: "cuda" or "musa". All that is asked about one reference is best asked in a row: each
  // judge keeps what it has worked out for the last one.
  Result<Verdict> Verify(BugProof proof, std::string_view backend, const std::string& reference,
                         const std::string& code);

 private:
  std::map<std::pair<bool, BugProof>, Judge> judges_;
};

}  // namespace kernelmill
