#include "corpora/verdict.h"

#include <algorithm>

#include "manifests/json_fields.h"

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

template <typename T>
Json ArrayOf(const std::vector<T>& items) {
  Json::Array array;
  for (const T& item : items) array.push_back(item.ToJson());
  return array;
}

}  // namespace

std::string_view StatusName(VerdictStatus status) {
  for (const StatusEntry& entry : kStatuses) {
    if (entry.status == status) return entry.name;
  }
  return {};
}

bool SaysSomething(VerdictStatus status) { return status < VerdictStatus::kUnsupported; }

const std::vector<VerdictReason>& AllVerdictReasons() {
  using enum VerdictStatus;
  static const std::vector<VerdictReason> kReasons = {
      {kWrong, "values", "its output differs from the reference"},
      {kWrong, "shape", "its output has another shape than the reference's"},
      {kWrong, "dtype", "its output has another dtype than the reference's"},
      {kWrong, "output_count", "it returns another number of tensors than the reference"},
      {kWrong, "writes_inputs", "it changes its inputs, and the reference does not"},
      {kWrong, "full_size", "it is right at smaller sizes and wrong at the task's own"},
      {kNotGeneral, "other_shapes", "it is right at the task's own shapes and wrong at others"},
      {kNotGeneral, "other_values", "it is right for the task's own values and wrong for others"},
      {kNotGeneral, "other_layout",
       "it is right for contiguous inputs and wrong for others with the same values"},
      {kIllegal, "torch_compute", "an operator of torch computes in its forward()"},
      {kIllegal, "task_operator",
       "an operator of torch moves the data, and moving it is what the task asks for"},
      {kIllegal, "layer_called", "it calls a layer of torch.nn instead of using its parameters"},
      {kIllegal, "inherits_reference", "its ModelNew inherits from the reference"},
      {kIllegal, "fallback", "it has another way to a result than its kernels"},
      {kIllegal, "foreign_compute", "another library computes on the host"},
      {kIllegal, "compiled_by_torch", "torch is asked to write the kernel"},
      {kIllegal, "graph_replay", "it replays a recorded graph, whatever the inputs are"},
      {kIllegal, "tensor_subclass", "it makes tensors that do not behave as tensors"},
      {kIllegal, "loads_parameters", "it loads parameters instead of creating them"},
      {kIllegal, "forbidden_import", "it imports a module that no kernel needs"},
      {kIllegal, "vendor_library", "a vendor's library computes instead of a kernel"},
      {kIllegal, "forbidden_symbol", "its native code calls a function that no kernel needs"},
      {kIllegal, "reaches_interpreter", "it reaches into the interpreter that runs it"},
      {kIllegal, "patches_torch", "it changes torch for everybody"},
      {kIllegal, "observer_disabled", "it interferes with the record of operators"},
      {kIllegal, "no_kernel", "it launches no kernel"},
      {kIllegal, "decoy_kernel", "its result does not come from the kernels that it launches"},
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
      {kCrashed, "stack_overflow", "a thread of a kernel needs more stack than there is"},
      {kCrashed, "assert", "an assertion of a kernel failed"},
      {kCrashed, "trap", "a kernel stopped itself"},
      {kCrashed, "memory_limit", "it used more memory than allowed"},
      {kCrashed, "output_limit", "it printed more than allowed"},
      {kTimedOut, "time_limit", "it ran longer than allowed"},
      {kTimedOut, "deadlock", "threads of a block wait for each other without end"},
      {kIllegalAddress, "bad_pointer", "a kernel read or wrote where no memory of the device is"},
      {kIllegalAddress, "wrong_space",
       "host code touched device memory, or a kernel touched host memory"},
      {kOutOfBounds, "buffer_overflow", "a kernel reached outside of a buffer or of shared memory"},
      {kOutOfBounds, "use_after_free", "a kernel reached memory that was freed"},
      {kOutOfBounds, "array_index", "an index lies outside of its array"},
      {kRace, "within_block", "two threads of a block access the same memory without order"},
      {kRace, "between_blocks", "threads of two blocks access the same memory without order"},
      {kUndefinedBehaviour, "divergent_barrier",
       "threads of a block wait at different barriers, or some have left"},
      {kUndefinedBehaviour, "exited_before_barrier",
       "threads of a block have left before a barrier that others wait at"},
      {kUndefinedBehaviour, "lane_outside_mask",
       "a thread takes part in a warp operation whose mask does not name it"},
      {kUndefinedBehaviour, "misaligned_address",
       "an access at an address that is no multiple of its type's alignment"},
      {kUndefinedBehaviour, "shift", "a shift by as many bits as the number has, or more"},
      {kUndefinedBehaviour, "impossible_code", "a kernel reached code that cannot be reached"},
      {kUndefinedBehaviour, "integer_division", "a kernel divides an integer by zero"},
      {kUndefinedBehaviour, "shuffle_from_absent_lane",
       "a thread reads the value of a lane that takes no part in the shuffle"},
      {kUnsupported, "feature", "it uses a feature that the CPU executor does not have"},
      {kUnsupported, "constructor_arguments", "the constructor takes what cannot be handed over"},
      {kUndecided, "time_limit", "its kernels took more time than they are given here"},
      {kUndecided, "step_budget", "a launch took more steps than allowed"},
      {kReferenceFailed, "refused", "the reference uses what no task may use"},
      {kReferenceFailed, "raised", "the reference does not run"},
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

Json VerdictFinding::ToJson() const {
  return Json::Object{{"kind", kind}, {"file", file}, {"line", line}, {"detail", detail}};
}

Json VerdictElement::ToJson() const {
  return Json::Object{{"index", kernelmill::ToJson(index)}, {"expected", expected}, {"got", got}};
}

Json VerdictDiagnosis::ToJson() const {
  return Json::Object{{"output", output},
                      {"shape", kernelmill::ToJson(shape)},
                      {"wrong", wrong},
                      {"total", total},
                      {"pattern", pattern},
                      {"where", where},
                      {"elements", ArrayOf(elements)}};
}

Json VerdictTrial::ToJson() const {
  return Json::Object{
      {"shapes", shapes}, {"values", values}, {"layout", layout}, {"passed", passed}};
}

Json VerdictSize::ToJson() const {
  return Json::Object{{"id", id}, {"names", kernelmill::ToJson(names)}, {"value", value}};
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
  const std::int64_t requests =
      global_load_requests + global_store_requests + shared_load_requests + shared_store_requests;
  if (requests == 0) return std::nullopt;
  return static_cast<double>(active_lanes) / static_cast<double>(requests);
}

Json VerdictCounts::ToJson() const {
  Json::Object json;
  for (const auto& [name, field] : AllVerdictCounts()) json[std::string(name)] = this->*field;
  const std::optional<double> lanes = LanesOfRequest();
  json["lanes_of_request"] = lanes ? Json(*lanes) : Json();
  return json;
}

Json VerdictLaunch::ToJson() const {
  return Json::Object{{"kernel", kernel},
                      {"count", count},
                      {"threads", threads},
                      {"shared", shared},
                      {"occupancy", occupancy ? Json(*occupancy) : Json()},
                      {"counts", counts ? counts->ToJson() : Json()}};
}

Json VerdictDeviceKernel::ToJson() const {
  return Json::Object{{"kernel", kernel},
                      {"registers", registers},
                      {"stack", stack},
                      {"spills", spills},
                      {"shared", shared}};
}

Result<VerdictDeviceKernel> VerdictDeviceKernel::FromJson(const Json& json) {
  VerdictDeviceKernel read;
  JsonFields fields(json, "kernel");
  fields.Read("kernel", &read.kernel);
  fields.Read("registers", &read.registers);
  fields.Read("stack", &read.stack);
  fields.Read("spills", &read.spills);
  fields.Read("shared", &read.shared);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

Json VerdictDevice::ToJson() const {
  if (compiler.empty()) return {};
  return Json::Object{{"compiler", compiler},
                      {"architecture", architecture},
                      {"renamed", renamed},
                      {"kernels", ArrayOf(kernels)},
                      {"unchecked", kernelmill::ToJson(unchecked)}};
}

Result<VerdictDevice> VerdictDevice::FromJson(const Json& json) {
  VerdictDevice read;
  JsonFields fields(json, "device");
  fields.Read("compiler", &read.compiler);
  fields.Read("architecture", &read.architecture);
  fields.Read("renamed", &read.renamed);
  fields.ReadArray("kernels", &read.kernels, VerdictDeviceKernel::FromJson);
  fields.Read("unchecked", &read.unchecked);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

Json VerdictFullSize::ToJson() const {
  return Json::Object{{"state", state},
                      {"why_not", why_not},
                      {"blocks", blocks},
                      {"of_blocks", of_blocks},
                      {"elements", elements}};
}

Result<VerdictFullSize> VerdictFullSize::FromJson(const Json& json) {
  VerdictFullSize read;
  JsonFields fields(json, "full_size");
  fields.Read("state", &read.state);
  fields.Read("why_not", &read.why_not);
  fields.Read("blocks", &read.blocks);
  fields.Read("of_blocks", &read.of_blocks);
  fields.Read("elements", &read.elements);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

double Verdict::PassRate() const {
  if (trials.empty()) return 0.0;
  const auto passed = std::count_if(trials.begin(), trials.end(),
                                    [](const VerdictTrial& trial) { return trial.passed; });
  return static_cast<double>(passed) / static_cast<double>(trials.size());
}

std::optional<double> Verdict::Reward() const {
  if (!SaysSomething(status)) return std::nullopt;
  if (status == VerdictStatus::kCorrect) return 1.0;
  const bool partly = status == VerdictStatus::kWrong || status == VerdictStatus::kNotGeneral;
  const double share = PassRate();
  return partly && share > 0.0 ? -0.5 + 0.5 * share : -1.0;
}

Json Verdict::ToJson() const {
  const std::optional<double> value = Reward();
  Json::Object json = {
      {"v", 2},
      {"status", StatusName(status)},
      {"reason", reason},
      {"gate", gate},
      {"detail", detail},
      {"policy", policy},
      {"backend", backend},
      {"verified_on", verified_on},
      {"full_size", full_size.ToJson()},
      {"sizes", ArrayOf(sizes)},
      {"findings", ArrayOf(findings)},
      {"trials", ArrayOf(trials)},
      {"launches", ArrayOf(launches)},
      {"device", device.ToJson()},
      {"diagnosis", diagnosis ? diagnosis->ToJson() : Json()},
      {"feedback", feedback},
      {"reward", Json::Object{{"value", value ? Json(*value) : Json()},
                              {"share_passed", PassRate()},
                              {"performance", Json()}}},
  };
  // A MUSA answer that no compiler of Moore Threads has seen.
  if (backend == "musa") json["compiled_by_mcc"] = false;
  return json;
}

}  // namespace kernelmill
