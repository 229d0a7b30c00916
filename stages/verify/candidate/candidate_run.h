// A candidate, run in a process that has never seen its task.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "corpora/kernel_backend.h"
#include "corpora/records/verdict.h"
#include "stages/verify/build/extension.h"
#include "stages/verify/gates/gate.h"
#include "stages/verify/reference/reference_runs.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

// What became of an extension.
struct LoadedLibrary {
  std::string path;
  bool torch_library = false;
  // Why there is none: then load_inline raises, as it does where a compiler fails.
  std::string error;
};

struct DispatchedOperator {
  std::string name;       // "aten::mm"
  std::int64_t line = 0;  // Of the candidate; 0 where no line of it called it directly.
};

// Which inputs a candidate gets, and how they lie in memory.
struct AskedTrial {
  std::size_t reference = 0;  // Of ReferenceRun::trials.
  std::string layout = "own";
};

// The only launch of a trial that was asked to tell of it (CandidateRequest::sampled).
struct SampledLaunch {
  std::int64_t blocks = 0;
  std::int64_t run = 0;  // Of these.
  // Elements of the filled memory that the first block wrote.
  std::int64_t first_block_items = 0;
  bool global_atomics = false;
  std::vector<std::string> operators;  // Of torch, behind the launch.
  // For each output, how many allocations of forward() came before its own; -1 for memory that
  // forward() has not allocated.
  std::vector<std::int64_t> allocations;
};

struct CandidateTrial {
  AskedTrial asked;
  // That it refused this layout with an error; nothing else is there then.
  bool refused = false;
  std::vector<TensorValues> outputs;
  std::vector<TensorValues> inputs;  // Its input tensors after the run.
  std::vector<DispatchedOperator> operators;
  bool operators_whole = false;  // The record of operators was not interfered with.
  std::int64_t host_values = 0;  // Numbers that its Python read from tensors.
  std::vector<VerdictLaunch> launches;
  std::vector<VerdictFinding> findings;
  std::optional<SampledLaunch> sampled;
};

// Why a candidate did not get to its end, as a verdict says it.
struct CandidateFault {
  VerdictStatus status = VerdictStatus::kCrashed;
  std::string reason;
  GateId gate = GateId::kCorrectness;  // At which the candidate ends.
  std::string detail;
  std::optional<VerdictFinding> finding;
  std::size_t trial = 0;  // In which it ended.
  bool launched = false;  // A kernel, in that trial, before.
};

struct CandidateRun {
  // By hash: what has to be built before it can run. Everything else is empty then.
  std::map<std::string, ExtensionSources> wanted;
  std::optional<CandidateFault> fault;
  std::vector<CandidateTrial> trials;
  Json parameters;
  SharedBuffer outputs;
};

struct CandidateRequest {
  std::string code;
  const KernelBackend* backend = &kCudaBackend;
  bool training = true;
  std::map<std::string, LoadedLibrary> libraries;  // By hash.
  std::string python_folder;                       // Of km_cuda.
  Json executor_options;                           // Of km_cuda.configure().
  std::vector<AskedTrial> trials;
  // Trials bring a SampledLaunch, if there is one launch, and no inputs.
  bool sampled = false;
  WorkerLimits limits;
};

// A Status is our own trouble, never the candidate's.
Result<CandidateRun> RunCandidate(TorchWorker* worker, const CandidateRequest& request,
                                  const ReferenceRun& reference);

}  // namespace kernelmill
