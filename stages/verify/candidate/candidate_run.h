// Runs a candidate once, for one or several trials, in a process that has never seen the reference:
// builds the request, and checks and parses the reply.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "corpora/kernel_backend.h"
#include "corpora/records/verdict.h"
#include "stages/verify/build/extension.h"
#include "stages/verify/gates/gate.h"
#include "stages/verify/numerics/tensor_shape.h"
#include "stages/verify/reference/reference_runs.h"
#include "stages/worker/torch_worker.h"

namespace kernelmill {

// The library of an extension that the candidate has asked for.
struct LoadedLibrary {
  std::string path;
  bool torch_library = false;
  // Why there is no library. load_inline raises it as an error, as it does when a compiler fails.
  std::string error;
};

struct DispatchedOperator {
  std::string name;       // "aten::mm"
  std::int64_t line = 0;  // Line of the candidate; 0 if no line of the candidate called it
                          // directly.
};

// Which inputs a candidate gets, and how they lie in memory.
struct AskedTrial {
  std::size_t trial_index = 0;  // In ReferenceRun::trials.
  std::string layout = "own";
  // If set, forward() runs with the inputs of that trial, and what it did to device memory then runs
  // again with the inputs of this one, whose results the outputs are
  // (stages/cuda_executor/runtime/replay/replay.h).
  std::optional<std::size_t> recorded_with = std::nullopt;
  bool state = false;  // Whether CandidateTrial::state is asked for.
  // The order in which it runs again (stages/cuda_executor/runtime/replay/stream_order.h).
  std::string order = "as_called";
  // If it is not 0, forward() is called twice, and the inputs become those of this trial when the
  // first call has done so many hundredths of its work. The outputs are those of the second call.
  std::int64_t changed_at = 0;
  // Whether the executor shows kernels what a device shows, at the cost of time
  // (stages/cuda_executor/runtime/execution_options.h), and new memory holds the results of the
  // trial before with some other values.
  bool as_device = false;
};

// The launches of a sampled trial (CandidateRequest::sampled).
struct SampledLaunches {
  std::int64_t launches = 0;
  std::int64_t blocks = 0;  // Blocks of their grids.
  std::int64_t run = 0;     // Blocks of their grids that ran.
  // Elements of the filled memory that the first block of the first launch wrote.
  std::int64_t first_block_items = 0;
  // Elements of the filled memory that all their blocks write at most, as far as those that ran show
  // (launches.py).
  std::int64_t most_items = 0;
  // Pages of scratch memory that earlier launches touch and no later one does, though these run as
  // a whole and touch all pages before them.
  std::int64_t left_pages = 0;
  bool global_atomics = false;         // Whether a block used an atomic operation on global memory.
  std::vector<std::string> operators;  // Operators of torch that ran after the first launch.
  // For each output, how many allocations of forward() came before its own; -1 for memory that
  // forward() has not allocated.
  std::vector<std::int64_t> allocations;
};

struct CandidateTrial {
  AskedTrial asked;
  // The candidate refused this layout with an error. All other fields are empty then.
  bool refused = false;
  std::vector<TensorValues> outputs;
  std::vector<TensorShape> output_shapes;  // Only for runs whose inputs have no values.
  std::vector<TensorValues> inputs;  // Its input tensors after the run.
  bool wrote_inputs = false;  // Of inputs that are not in `inputs`, because they are large.
  std::vector<DispatchedOperator> operators;
  bool operators_whole = false;  // The record of operators was not tampered with.
  std::int64_t host_bytes = 0;   // Bytes of device memory that reached the host.
  // Of a trial with AskedTrial::recorded_with: why the record did not run again, or ""; and whether
  // it ran with the inputs that it was made with, because host code had read values.
  std::string not_replayed;
  bool same_replayed = false;
  bool other_orders = false;  // Whether its streams allow an order that is not that of its calls.
  // How many bytes that host code has sent to the device are others than in the record before.
  std::int64_t sent_otherwise = 0;
  // Whether calls before it have left anything in memory of the device besides their results.
  bool keeps = false;
  // A digest of what the extension's variables hold after the call, without addresses. Equal ones
  // mean equal values, in trials of one run.
  std::string state;
  // How many words of device memory that change from call to call were given other values before
  // it.
  std::int64_t disturbed = 0;
  std::vector<VerdictLaunch> launches;
  std::int64_t steps = 0;  // Scheduler steps of all launches (execution_options.h).
  std::vector<VerdictFinding> findings;
  std::optional<SampledLaunches> sampled;
};

// Why a run of a candidate ended early, in the terms of a verdict.
struct CandidateFault {
  VerdictStatus status = VerdictStatus::kCrashed;
  std::string reason;
  GateId gate = GateId::kCorrectness;  // The gate at which the candidate ends.
  std::string detail;
  std::optional<VerdictFinding> finding;
  std::size_t trial = 0;  // The trial in which the run ended.
  // The launches of that trial, with the one that has ended it.
  std::int64_t launches = 0;
};

struct CandidateRun {
  // Operators of torch that raised because they were not allowed, whatever the candidate did with
  // the error.
  std::vector<DispatchedOperator> refused;
  // By hash: extensions that have to be built before the candidate can run. All other fields are
  // empty then.
  std::map<std::string, ExtensionSources> wanted;
  std::optional<CandidateFault> fault;
  std::vector<CandidateTrial> trials;
  Json parameters;
  SharedBuffer outputs;
};

struct CandidateRequest {
  std::string code;
  const KernelBackend* backend = &kCudaBackend;
  const DeviceTarget* target = &kCudaBackend.targets.front();
  bool training = true;
  std::map<std::string, LoadedLibrary> libraries;  // By hash.
  std::string python_folder;                       // The folder of the module km_cuda.
  // The operators that do not raise (AllowedOperators()).
  std::optional<std::vector<std::string>> operators;
  std::vector<std::string> work;            // ReferenceRun::work.
  std::vector<std::string> module_buffers;  // ReferenceRun::module_buffers of the base set.
  bool tables = false;  // Whether a table of results is refused: not if the reference has tensors.
  Json executor_options;  // The arguments of km_cuda.configure().
  std::vector<AskedTrial> trials;
  // Only some blocks run: trials have SampledLaunches, and no inputs.
  bool sampled = false;
  // The inputs have no values, and trials have neither outputs nor inputs, but the shapes of the
  // outputs: for a run without kernels.
  bool unfilled = false;
  // Whether another model of the class, with other parameters, is constructed and called before.
  bool after_another = false;
  WorkerLimits limits;
};

// A Status is a fault of ours, never of the candidate.
Result<CandidateRun> RunCandidate(TorchWorker* worker, const CandidateRequest& request,
                                  const ReferenceRun& reference);

}  // namespace kernelmill
