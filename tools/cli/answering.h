// What `answer` and `lower` have in common: answers to references in several ways, judged by
// several judges at once.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "corpora/kernel_backend.h"
#include "corpora/records/verdict.h"
#include "generators/lowering/lower_graph.h"
#include "stages/engine/step.h"
#include "stages/verify/judge/judge_pool.h"
#include "tools/cli/lowering_report.h"

namespace kernelmill {

struct AnsweringOptions {
  std::string backend{kCudaBackend.name};
  int ways = 1;
  bool unverified = false;
  bool sanitize = false;
  int jobs = 0;  // 0: one a processor.

  void AddTo(CLI::App* command);
};

struct JudgedAnswers {
  LoweringResult result;
  // Of each of result.answers.
  std::vector<std::string> texts;
  std::vector<Verdict> verdicts;  // Of nothing that was judged where nothing is.
};

// One thread's judges, and the worker that reads references.
struct AnsweringLane : Lane {
  JudgePool judges;
};

class Answering {
 public:
  // Compiles what kernels run on where that is missing. `options` have to stay.
  static Result<Answering> Of(const AnsweringOptions& options);

  bool verifies() const { return judging_.has_value(); }
  Result<std::unique_ptr<Lane>> OpenLane() const;
  // Fills in everything but result.id and result.level.
  Status Answer(const std::string& reference, const OperatorGraph& graph, const ModuleText& module,
                AnsweringLane* lane, JudgedAnswers* answers) const;

 private:
  explicit Answering(const AnsweringOptions& options) : options_(options) {}

  const AnsweringOptions& options_;
  const KernelBackend* backend_ = nullptr;
  std::optional<CpuJudgeChoice> judging_;
};

}  // namespace kernelmill
