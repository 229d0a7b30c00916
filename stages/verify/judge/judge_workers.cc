#include "stages/verify/judge/judge_workers.h"

#include <future>
#include <utility>

namespace kernelmill {

Status JudgeWorkers::StartBoth(const WorkerOptions& for_candidates) {
  std::future<Result<TorchWorker>> starting;
  if (!for_references_) {
    starting = std::async(std::launch::async, [] { return TorchWorker::Start(); });
  }
  const Status candidates = ForCandidates(for_candidates).status();
  if (starting.valid()) {
    KM_ASSIGN(for_references_, starting.get());
  }
  return candidates;
}

Result<TorchWorker*> JudgeWorkers::ForReferences() {
  if (!for_references_) {
    KM_ASSIGN(for_references_, TorchWorker::Start());
  }
  return &*for_references_;
}

Result<TorchWorker*> JudgeWorkers::ForCandidates(const WorkerOptions& options) {
  for (CandidateWorker& started : for_candidates_) {
    if (started.options == options) return &started.worker;
  }
  KM_ASSIGN(TorchWorker worker, TorchWorker::Start(options));
  for_candidates_.push_back({options, std::move(worker)});
  return &for_candidates_.back().worker;
}

Result<ReferenceRuns*> JudgeWorkers::Reference(const std::string& code,
                                               const ReferenceRuns::Options& options) {
  if (reference_ && code_ == code && options_ == options) return &*reference_;
  reference_.reset();
  KM_ASSIGN(TorchWorker* const worker, ForReferences());
  KM_ASSIGN(reference_, ReferenceRuns::Start(worker, code, options));
  code_ = code;
  options_ = options;
  return &*reference_;
}

void JudgeWorkers::End() {
  reference_.reset();
  for_references_.reset();
  for_candidates_.clear();
}

}  // namespace kernelmill
