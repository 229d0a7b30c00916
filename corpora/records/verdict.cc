#include "corpora/records/verdict.h"

#include <algorithm>

namespace kernelmill {
namespace {

struct StatusEntry {
  VerdictStatus status;
  std::string_view name;
};

constexpr StatusEntry kStatuses[] = {
    {VerdictStatus::kCorrect, "correct"},
    {VerdictStatus::kWrong, "wrong"},
    {VerdictStatus::kNotGeneral, "not_general"},
    {VerdictStatus::kIllegal, "illegal"},
    {VerdictStatus::kNoAnswer, "no_answer"},
    {VerdictStatus::kNotBuilt, "not_built"},
    {VerdictStatus::kNotLoaded, "not_loaded"},
    {VerdictStatus::kCrashed, "crashed"},
    {VerdictStatus::kTimedOut, "timed_out"},
    {VerdictStatus::kIllegalAddress, "illegal_address"},
    {VerdictStatus::kOutOfBounds, "out_of_bounds"},
    {VerdictStatus::kRace, "race"},
    {VerdictStatus::kUndefinedBehaviour, "undefined_behaviour"},
    {VerdictStatus::kUnsupported, "unsupported"},
    {VerdictStatus::kUndecided, "undecided"},
    {VerdictStatus::kReferenceFailed, "reference_failed"},
    {VerdictStatus::kInfra, "infra"},
};

}  // namespace

std::string_view StatusName(VerdictStatus status) {
  for (const StatusEntry& entry : kStatuses) {
    if (entry.status == status) return entry.name;
  }
  return {};
}

Result<VerdictStatus> StatusFromName(std::string_view name) {
  for (const StatusEntry& entry : kStatuses) {
    if (entry.name == name) return entry.status;
  }
  return Status(ErrorCode::kCorrupt, "unknown status '" + std::string(name) + "'");
}

bool IsAboutCandidate(VerdictStatus status) { return status < VerdictStatus::kUnsupported; }

const std::vector<VerdictReason>& AllVerdictReasons() {
  using enum VerdictStatus;
  static const std::vector<VerdictReason> kReasons = {
      {kWrong, "values", "its output differs from the reference"},
      {kWrong, "shape", "its output has another shape than the reference's"},
      {kWrong, "dtype", "its output has another dtype than the reference's"},
      {kWrong, "output_count", "it returns another number of tensors than the reference"},
      {kWrong, "writes_inputs", "it changes its inputs, and the reference does not"},
      {kWrong, "later_call", "its first calls are right, and a later one is wrong"},
      {kWrong, "full_size", "it is right at smaller sizes and wrong at the task's own"},
      {kNotGeneral, "other_shapes", "it is right at the task's own shapes and wrong at others"},
      {kNotGeneral, "other_values", "it is right for the task's own values and wrong for others"},
      {kNotGeneral, "other_layout",
       "it is right for contiguous inputs and wrong for others with the same values"},
      {kNotGeneral, "module_buffers",
       "its output is right, and it leaves other values in the module's buffers"},
      {kIllegal, "torch_compute", "an operator of torch computes in its forward()"},
      {kIllegal, "task_operator",
       "an operator of torch or a copy of the runtime moves the data, which is the task"},
      {kIllegal, "layer_called", "it calls a layer of torch.nn instead of using its parameters"},
      {kIllegal, "inherits_reference", "its ModelNew inherits from the reference"},
      {kIllegal, "fallback", "it can come to a result by another way than its kernels"},
      {kIllegal, "foreign_compute", "another library computes on the host"},
      {kIllegal, "data_on_host", "its forward() moves data from device memory to the host"},
      {kIllegal, "compiled_by_torch", "torch is asked to write the kernel"},
      {kIllegal, "graph_replay", "it replays a recorded graph, whatever the inputs are"},
      {kIllegal, "tensor_subclass", "it makes tensors that do not behave as tensors"},
      {kIllegal, "loads_parameters", "it loads parameters instead of creating them"},
      {kIllegal, "forbidden_import", "it imports a module that no kernel needs"},
      {kIllegal, "vendor_library", "a vendor's library computes instead of a kernel"},
      {kIllegal, "forbidden_symbol", "its native code calls a function that no kernel needs"},
      {kIllegal, "reaches_interpreter",
       "it uses names by which code can reach the interpreter that runs it"},
      {kIllegal, "patches_torch", "it changes torch for everybody"},
      {kIllegal, "observer_disabled", "it uses or changes what records the operators of torch"},
      {kIllegal, "no_kernel", "it launches no kernel"},
      {kIllegal, "decoy_kernel", "its result does not come from the kernels that it launches"},
      {kIllegal, "host_values", "its host code decides values of its result"},
      {kNoAnswer, "no_code", "the text holds no code"},
      {kNoAnswer, "no_model", "the code defines no ModelNew"},
      {kNoAnswer, "syntax_error", "the code is no Python"},
      {kNoAnswer, "too_long", "the code is over one megabyte"},
      {kNotBuilt, "compile_error", "the compiler refuses its native code"},
      {kNotBuilt, "device_compile_error", "a compiler for devices refuses its kernels"},
      {kNotBuilt, "link_error", "its native code uses what is defined nowhere"},
      {kNotBuilt, "compile_limit", "compiling its native code takes too much time or memory"},
      {kNotLoaded, "import_failed", "importing it raised an error"},
      {kNotLoaded, "constructor_failed", "its constructor raised an error"},
      {kCrashed, "raised", "its forward() raised an error"},
      {kCrashed, "killed", "its process died"},
      {kCrashed, "device_fault", "one of its launches failed"},
      {kCrashed, "launch_limit", "the device refuses one of its launches"},
      {kCrashed, "device_memory", "it needs more memory than the device has"},
      {kCrashed, "stack_overflow", "a thread of a kernel needs more stack than there is"},
      {kCrashed, "assert", "an assertion of a kernel failed"},
      {kCrashed, "trap", "a kernel stopped itself"},
      {kCrashed, "memory_limit", "it used more memory than allowed"},
      {kCrashed, "output_limit", "it printed more than allowed"},
      {kTimedOut, "time_limit", "it ran longer than allowed"},
      {kTimedOut, "deadlock", "threads of a block wait for each other without end"},
      {kIllegalAddress, "bad_pointer", "a kernel read or wrote where no memory of the device is"},
      {kIllegalAddress, "far_pointer",
       "a kernel read or wrote far from all memory, as with an index that is too large for its "
       "type"},
      {kIllegalAddress, "wrong_space",
       "host code touched device memory, or a kernel touched host memory"},
      {kOutOfBounds, "buffer_overflow", "a kernel reached outside of a buffer or of shared memory"},
      {kOutOfBounds, "use_after_free", "a kernel reached memory that was freed"},
      {kOutOfBounds, "array_index", "an index lies outside of its array"},
      {kRace, "within_block", "two threads of a block access the same memory without order"},
      {kRace, "between_blocks", "threads of two blocks access the same memory without order"},
      {kRace, "streams", "work on two streams accesses the same memory without order"},
      {kRace, "staged_copy", "host code changes memory that an asynchronous copy still reads"},
      {kUndefinedBehaviour, "divergent_barrier",
       "threads of a block wait at different barriers, or some have left"},
      {kUndefinedBehaviour, "exited_before_barrier",
       "threads of a block have left before a barrier that others wait at"},
      {kUndefinedBehaviour, "lane_outside_mask",
       "a thread takes part in a warp operation whose mask does not name it"},
      {kUndefinedBehaviour, "misaligned_address",
       "an access at an address that is no multiple of its type's alignment"},
      {kUndefinedBehaviour, "read_only_load", "__ldg() reads what the same launch has written"},
      {kUndefinedBehaviour, "shift", "a shift by as many bits as the number has, or more"},
      {kUndefinedBehaviour, "narrow_conversion",
       "a kernel converts a number to an integer type of 8 or 16 bits that does not hold it"},
      {kUndefinedBehaviour, "impossible_code", "a kernel reached code that cannot be reached"},
      {kUndefinedBehaviour, "integer_division", "a kernel divides an integer by zero"},
      {kUndefinedBehaviour, "shuffle_from_absent_lane",
       "a thread reads the value of a lane that takes no part in the shuffle"},
      {kUnsupported, "feature", "it uses a feature that the CPU executor does not have"},
      {kUnsupported, "constructor_arguments", "the constructor takes what cannot be handed over"},
      {kUndecided, "time_limit", "its kernels took more time than they are given here"},
      {kUndecided, "step_budget", "a launch took more steps than allowed"},
      {kUndecided, kNotSanitized, "it could not be run with every access checked"},
      {kUndecided, kNotCompared, "what decides on it could not be compared"},
      {kUndecided, kOwnSizes, "the task asks for its own sizes, at which it could not be judged"},
      {kReferenceFailed, "refused", "the reference uses what no task may use"},
      {kReferenceFailed, "raised", "the reference does not run"},
      {kReferenceFailed, "inexact",
       "the reference's own rounding errors are too large to compare a result with it"},
      {kReferenceFailed, "one_result",
       "the reference gives the same result for all inputs, so that no answer can be proved"},
      {kReferenceFailed, "random", "the reference draws random numbers in forward()"},
      {kReferenceFailed, "too_costly", "the reference is too large at any sizes that were tried"},
      {kReferenceFailed, "no_output", "the reference returns no tensor"},
      {kInfra, "worker", "the worker failed"},
  };
  return kReasons;
}

std::string_view ExplainVerdictReason(VerdictStatus status, std::string_view reason) {
  for (const VerdictReason& entry : AllVerdictReasons()) {
    if (entry.status == status && entry.name == reason) return entry.explanation;
  }
  return {};
}

const std::vector<VerdictCountField>& AllVerdictCounts() {
  static const std::vector<VerdictCountField> kFields = {
      {"blocks", &VerdictCounts::blocks},
      {"threads", &VerdictCounts::threads},
      {"global_load_requests", &VerdictCounts::global_load_requests},
      {"global_load_sectors", &VerdictCounts::global_load_sectors},
      {"global_store_requests", &VerdictCounts::global_store_requests},
      {"global_store_sectors", &VerdictCounts::global_store_sectors},
      {"shared_load_requests", &VerdictCounts::shared_load_requests},
      {"shared_store_requests", &VerdictCounts::shared_store_requests},
      {"bank_conflicts", &VerdictCounts::bank_conflicts},
      {"active_lanes", &VerdictCounts::active_lanes},
      {"global_atomics", &VerdictCounts::global_atomics},
      {"shared_atomics", &VerdictCounts::shared_atomics},
  };
  return kFields;
}

std::optional<double> VerdictCounts::LanesOfRequest() const {
  const std::int64_t requests = GlobalRequests() + SharedRequests();
  if (requests == 0) return std::nullopt;
  return static_cast<double>(active_lanes) / static_cast<double>(requests);
}

bool VerdictTrial::IsAskedBy(const TaskContract& contract) const {
  const bool other_sizes = shapes == "feedback" || shapes == "grading";
  return (contract.any_shape || !other_sizes) && (contract.any_layout || layout == "own") &&
         (contract.any_values || shapes != "rare_values") &&
         (contract.module_buffers || shapes != "module_buffers");
}

std::string_view GradeName(Grade grade) {
  static constexpr std::string_view kNames[] = {"not_tried", "all", "refuses", "wrong"};
  return kNames[static_cast<std::size_t>(grade)];
}

double Verdict::PassRate() const {
  double asked = 0.0, passed = 0.0;
  for (const VerdictTrial& trial : trials) {
    if (!trial.IsAskedBy(contract)) continue;
    asked += 1.0;
    passed += trial.passed ? 1.0 : 0.0;
  }
  return asked == 0.0 ? 0.0 : passed / asked;
}

Json Verdict::RewardJson() const {
  const std::optional<double> correctness = Reward();
  if (!correctness) return Json();
  return Json::Object{{"correctness", *correctness}, {"performance", Json()}};
}

std::optional<double> Verdict::Reward() const {
  if (!IsAboutCandidate(status)) return std::nullopt;
  if (status == VerdictStatus::kCorrect) return 1.0;
  const bool partly = status == VerdictStatus::kWrong || status == VerdictStatus::kNotGeneral;
  const double share = PassRate();
  return partly && share > 0.0 ? -0.5 + 0.5 * share : -1.0;
}

Verdict Verdict::Reproducible() const {
  Verdict kept = *this;
  kept.feedback.clear();
  // If values were compared, the detail says by how much they differ.
  if (diagnosis) kept.detail.clear();
  if (kept.diagnosis) {
    kept.diagnosis->wrong = 0;
    // Removes the factor or offset, as in "…; each is 0.9983 times what it should be".
    if (diagnosis->pattern == "factor" || diagnosis->pattern == "offset") {
      kept.diagnosis->where = diagnosis->where.substr(0, diagnosis->where.find("each is"));
      while (kept.diagnosis->where.ends_with(' ') || kept.diagnosis->where.ends_with(';')) {
        kept.diagnosis->where.pop_back();
      }
    }
    for (VerdictElement& element : kept.diagnosis->elements) {
      element.expected.clear();
      element.got.clear();
    }
  }
  return kept;
}

}  // namespace kernelmill
