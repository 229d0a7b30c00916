// Judges one candidate: it passes the gates in their order (stages/verify/gates/gate.h), up to the
// first gate that ends it, and the result is a verdict.
//
// The reference and the candidate run in different sandboxed workers that share no state; a
// candidate has a worker for plain builds, and one for each instrumented build that needs another
// environment. Tensors cross between the workers in shared memory, and this process compares them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "corpora/records/verdict.h"
#include "stages/verify/judge/judge_options.h"

namespace kernelmill {

class Judge {
 public:
  // Starts the workers for references and for plain builds, which takes seconds. Not thread-safe:
  // each thread has a judge of its own.
  static Result<Judge> Start(JudgeOptions options);
  ~Judge();
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;

  // `reference`: Python in the KernelBench convention. `code`: the candidate's Python; nothing if a
  // message holds none (FindCandidateCode()). The results of a reference are kept until another
  // reference is passed. A Status that is not ok reports a failure of this program, for example of
  // a worker, and says nothing about the candidate; the next call then starts new workers.
  Result<Verdict> Verify(const std::string& reference, const std::optional<std::string>& code);
  // Does the part of Verify() that needs compilers: passes the gates before the first run, imports
  // and constructs the candidate, and builds the libraries that it asks for until then. They stay
  // in the build store, where Verify() finds them, in this process or another one. What ends the
  // candidate here is found again by Verify().
  Status Build(const std::string& reference, const std::optional<std::string>& code);

 private:
  struct State;
  explicit Judge(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kernelmill
