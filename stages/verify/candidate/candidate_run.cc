#include "stages/verify/candidate/candidate_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "manifests/json_fields.h"
#include "stages/verify/candidate/device_fault.h"
#include "stages/verify/reference/value_kinds.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 30;
constexpr char kFile[] = "candidate.py";

// Addresses that a run may reserve whose tensors have no values.
constexpr std::int64_t kUnfilledBytes = std::int64_t{1} << 45;

// As many bytes as the reference's outputs may have, which are larger at the task's own sizes.
std::size_t OutputBytes(const ReferenceRun& reference) {
  return std::max(kBufferBytes, reference.outputs.bytes().size());
}

Json::Object RequestOf(const CandidateRequest& request, const ReferenceRun& reference) {
  Json::Array trials;
  for (std::size_t i = 0; i < request.trials.size(); ++i) {
    const AskedTrial& asked = request.trials[i];
    const ReferenceTrial& trial = reference.trials[asked.trial_index];
    // What new memory holds counts as sent to the device, and records are compared by that.
    const bool left = i > 0 && !asked.recorded_with && FollowsFirst(trial.values);
    trials.push_back(Json::Object{
        {"inputs", trial.inputs},
        {"layout", asked.layout},
        {"seed", trial.seed},
        {"reuse", i % 2 == 1},
        {"recorded", asked.recorded_with ? reference.trials[*asked.recorded_with].inputs : Json()},
        {"order", asked.order},
        {"changed_at", asked.changed_at},
        {"state", asked.state},
        {"left", left},
        {"as_device", asked.as_device}});
  }
  Json::Object libraries;
  for (const auto& [hash, library] : request.libraries) {
    libraries[hash] = Json::Object{{"path", InsideWorker(library.path)},
                                   {"torch_library", library.torch_library},
                                   {"error", library.error}};
  }
  Json limits = request.limits.ToJson();
  const std::size_t buffers = reference.inputs.bytes().size() + OutputBytes(reference);
  if (buffers > 2 * kBufferBytes) {
    limits.as_object()["address_bytes"] =
        request.limits.memory_bytes + static_cast<std::int64_t>(buffers);
  }
  if (request.unfilled) limits.as_object()["address_bytes"] = kUnfilledBytes;
  return Json::Object{
      {"kind", "candidate"},
      {"code", request.code},
      {"backend", request.backend->name},
      {"target",
       Json::Object{{"name", request.target->name}, {"warp_width", request.target->warp_width}}},
      {"training", request.training},
      {"constants", reference.constants},
      {"imports", reference.imports},
      {"renamed", reference.renamed},
      {"arguments", reference.arguments},
      {"other_parameters", reference.other_parameters
                               ? Json(Json::Object{{"seed", *reference.other_parameters},
                                                   {"replaced", reference.parameters}})
                               : Json()},
      {"module_buffers", Json::Object{{"names", ToJson(request.module_buffers)},
                                      {"compared", reference.shapes == kModuleBuffers}}},
      {"trials", std::move(trials)},
      {"sampled", request.sampled},
      {"unfilled", request.unfilled},
      {"after_another", request.after_another},
      {"tables", request.tables},
      {"operators", request.operators ? ToJson(*request.operators) : Json()},
      {"work", ToJson(request.work)},
      {"libraries", std::move(libraries)},
      {"runtime", Json::Object{{"folder", InsideWorker(request.python_folder)},
                               {"options", request.executor_options}}},
      {"limits", std::move(limits)}};
}

FlagMacros FlagMacrosOf(const Json& pairs) {
  FlagMacros macros;
  for (const Json& pair : pairs.as_array()) {
    if (!pair.is_array() || pair.as_array().size() != 2) continue;
    const Json &name = pair.as_array()[0], &value = pair.as_array()[1];
    if (name.is_string() && value.is_string()) {
      macros.emplace_back(name.as_string(), value.as_string());
    }
  }
  return macros;
}

Result<ExtensionSources> SourcesOf(const Json& json) {
  ExtensionSources sources;
  std::string backend;
  Json headers, defines, cpp_defines;
  JsonFields fields(json, "extension");
  fields.Read("name", &sources.name);
  fields.Read("cpp_sources", &sources.cpp_sources);
  fields.Read("cuda_sources", &sources.cuda_sources);
  fields.Read("functions", &sources.functions);
  fields.Read("headers", &headers);
  fields.Read("defines", &defines);
  fields.Read("cpp_defines", &cpp_defines);
  fields.Read("backend", &backend);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!headers.is_object() || !defines.is_array() || !cpp_defines.is_array()) {
    return Status(ErrorCode::kWorker, "an extension without headers and defines");
  }
  for (const auto& [name, text] : headers.as_object()) {
    if (text.is_string()) sources.headers[name] = text.as_string();
  }
  sources.defines = FlagMacrosOf(defines);
  sources.cpp_defines = FlagMacrosOf(cpp_defines);
  KM_ASSIGN(sources.backend, KernelBackendNamed(backend));
  return sources;
}

Result<VerdictCounts> CountsOf(const Json& json) {
  VerdictCounts counts;
  JsonFields fields(json, "counts");
  for (const auto& [name, field] : AllVerdictCounts()) fields.Read(name, &(counts.*field));
  KM_RETURN_IF_ERROR(fields.Finish());
  return counts;
}

Result<VerdictLaunch> LaunchOf(const Json& json) {
  VerdictLaunch launch;
  Json counts;
  JsonFields fields(json, "launch");
  fields.Read("kernel", &launch.kernel);
  fields.Read("count", &launch.count);
  fields.Read("threads", &launch.threads);
  fields.Read("shared", &launch.shared);
  fields.Read("most_threads", &launch.most_threads);
  fields.Read("counts", &counts);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!counts.is_null()) {
    KM_ASSIGN(launch.counts, CountsOf(counts));
  }
  return launch;
}

Result<std::optional<SampledLaunches>> SampledOf(const Json& json) {
  if (json.is_null()) return std::optional<SampledLaunches>();
  SampledLaunches sampled;
  JsonFields fields(json, "sampled");
  fields.Read("launches", &sampled.launches);
  fields.Read("blocks", &sampled.blocks);
  fields.Read("run", &sampled.run);
  fields.Read("first_block_items", &sampled.first_block_items);
  fields.Read("most_items", &sampled.most_items);
  fields.Read("left_pages", &sampled.left_pages);
  fields.Read("global_atomics", &sampled.global_atomics);
  fields.Read("operators", &sampled.operators);
  fields.Read("allocations", &sampled.allocations);
  KM_RETURN_IF_ERROR(fields.Finish());
  return std::optional(std::move(sampled));
}

Result<DispatchedOperator> OperatorOf(const Json& json) {
  DispatchedOperator found;
  JsonFields fields(json, "operator");
  fields.Read("name", &found.name);
  fields.Read("line", &found.line);
  KM_RETURN_IF_ERROR(fields.Finish());
  return found;
}

// `unfilled`: CandidateRequest::unfilled.
Result<CandidateTrial> TrialOf(const Json& json, std::string_view bytes, bool unfilled) {
  CandidateTrial trial;
  if (json.Find("raised") != nullptr) {
    trial.refused = true;
    return trial;
  }
  const auto tensors = [bytes](const Json& specs) { return TensorsFromSpecs(specs, bytes); };
  JsonFields fields(json, "trial");
  if (unfilled) {
    fields.ReadArray("outputs", &trial.output_shapes, TensorShape::FromSpec);
  } else {
    fields.ReadValue("outputs", &trial.outputs, tensors);
  }
  fields.ReadValue("inputs", &trial.inputs, tensors);
  fields.Read("log_whole", &trial.operators_whole);
  fields.Read("host_bytes", &trial.host_bytes);
  fields.Read("not_replayed", &trial.not_replayed);
  fields.Read("same_replayed", &trial.same_replayed);
  fields.Read("other_orders", &trial.other_orders);
  fields.Read("sent_otherwise", &trial.sent_otherwise);
  fields.Read("keeps", &trial.keeps);
  fields.Read("state", &trial.state);
  fields.Read("disturbed", &trial.disturbed);
  fields.Read("wrote_inputs", &trial.wrote_inputs);
  fields.ReadArray("operators", &trial.operators, OperatorOf);
  fields.ReadArray("launches", &trial.launches, LaunchOf);
  fields.Read("steps", &trial.steps);
  fields.ReadArray("findings", &trial.findings, DeviceFinding);
  fields.ReadValue("sampled", &trial.sampled, SampledOf);
  KM_RETURN_IF_ERROR(fields.Finish());
  return trial;
}

// An error that the candidate's Python raised.
CandidateFault RaisedFault(const Json& reply) {
  CandidateFault fault;
  const std::string phase = reply.TextAt("phase"), type = reply.TextAt("type");
  const std::string detail = reply.TextAt("detail");
  fault.detail = type + (detail.empty() ? "" : ": " + detail);
  fault.trial = static_cast<std::size_t>(std::max<std::int64_t>(reply.IntegerAt("trial"), 0));
  fault.gate = phase == "run" ? GateId::kCorrectness : GateId::kLoad;
  fault.launches = std::max<std::int64_t>(reply.IntegerAt("launches"), 0);
  if (const std::int64_t line = reply.IntegerAt("line"); line > 0) {
    fault.finding = VerdictFinding{"raised", kFile, line, fault.detail};
  }
  const Json* device = reply.Find("fault");
  if (device != nullptr && !device->is_null()) {
    SetDeviceFault(*device, &fault);
  } else if (type == "NoModel" || type == "SyntaxError" || type == "IndentationError") {
    fault.status = VerdictStatus::kNoAnswer;
    fault.reason = type == "NoModel" ? "no_model" : "syntax_error";
    fault.gate = GateId::kExtract;
  } else if (phase == "run") {
    fault.reason = "raised";
  } else {
    fault.status = VerdictStatus::kNotLoaded;
    fault.reason = phase == "import" ? "import_failed" : "constructor_failed";
  }
  return fault;
}

// A candidate that tried to reach beyond its own objects (sandbox/candidate_boundary.py).
CandidateFault ReachedOut(const Json& reply) {
  CandidateFault fault;
  const std::string reason = reply.TextAt("reason");
  fault.status = VerdictStatus::kIllegal;
  const bool known =
      reason == "patches_torch" || reason == "forbidden_import" || reason == "fallback";
  fault.reason = known ? reason : "reaches_interpreter";
  fault.gate = GateId::kLegality;
  fault.detail = reply.TextAt("detail");
  fault.finding = VerdictFinding{fault.reason, kFile, reply.IntegerAt("line"), fault.detail};
  return fault;
}

// The fault of a process that ended without a reply of its own.
CandidateFault EndedFault(const Json& reply, const SharedBuffer& outputs, bool has_kernels) {
  CandidateFault fault;
  fault.gate = GateId::kCorrectness;
  std::int64_t begun = 0;  // The number of trials that have begun, written by an untrusted process.
  std::memcpy(&begun, outputs.bytes().data(), sizeof(begun));
  fault.trial = begun > 0 ? static_cast<std::size_t>(begun - 1) : 0;
  if (begun <= 0) fault.gate = GateId::kLoad;
  const std::string end = reply.TextAt("end");
  fault.detail = reply.TextAt("detail");
  if (end == "time_limit") {
    // A kernel that takes long here may be fast on a device, and it cannot be distinguished from
    // one that never ends.
    fault.status = has_kernels ? VerdictStatus::kUndecided : VerdictStatus::kTimedOut;
    fault.reason = "time_limit";
  } else if (end == "memory_limit" || end == "too_large") {
    fault.reason = "memory_limit";
  } else if (end == "output_limit" || end == "reply_limit") {
    fault.reason = "output_limit";
  } else if (end == "unsupported") {
    fault.status = VerdictStatus::kUnsupported;
    fault.reason = "feature";
  } else if (end == "not_exchangeable") {
    fault.status = VerdictStatus::kWrong;
    fault.reason = "dtype";
  } else {
    fault.reason = "killed";
  }
  return fault;
}

// Parses a complete reply. Returns an error if it is malformed, because the process that sent it
// ran untrusted code.
Status ReadReply(const Json& reply, const CandidateRequest& request, CandidateRun* run) {
  const std::vector<AskedTrial>& asked = request.trials;
  const Json* trials = reply.Find("trials");
  const Json* parameters = reply.Find("parameters");
  if (trials == nullptr || !trials->is_array() || parameters == nullptr ||
      trials->as_array().size() != asked.size()) {
    return Status(ErrorCode::kWorker, "an answer without its trials");
  }
  run->parameters = *parameters;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    KM_ASSIGN(CandidateTrial trial,
              TrialOf(trials->as_array()[i], run->outputs.bytes(), request.unfilled));
    trial.asked = asked[i];
    if (trial.same_replayed && asked[i].recorded_with) {
      trial.asked.trial_index = *asked[i].recorded_with;
    }
    run->trials.push_back(std::move(trial));
  }
  return Status::Ok();
}

Status ReadRefused(const Json& reply, std::vector<DispatchedOperator>* refused) {
  const Json* const list = reply.Find("refused");
  if (list == nullptr) return Status::Ok();
  if (!list->is_array()) return Status(ErrorCode::kWorker, "no list of refused operators");
  for (const Json& json : list->as_array()) {
    KM_ASSIGN(DispatchedOperator called, OperatorOf(json));
    refused->push_back(std::move(called));
  }
  return Status::Ok();
}

Status ReadWanted(const Json& reply, const DeviceTarget* target, CandidateRun* run) {
  const Json* extensions = reply.Find("extensions");
  if (extensions == nullptr || !extensions->is_object() || extensions->as_object().empty()) {
    return Status(ErrorCode::kWorker, "nothing that is to be built");
  }
  for (const auto& [hash, json] : extensions->as_object()) {
    KM_ASSIGN(ExtensionSources sources, SourcesOf(json));
    sources.target = target;
    run->wanted[hash] = std::move(sources);
  }
  return Status::Ok();
}

}  // namespace

Result<CandidateRun> RunCandidate(TorchWorker* worker, const CandidateRequest& request,
                                  const ReferenceRun& reference) {
  CandidateRun run;
  KM_ASSIGN(run.outputs, SharedBuffer::Create(OutputBytes(reference)));
  KM_ASSIGN(const Json reply,
            worker->Call(RequestOf(request, reference),
                         {reference.inputs.read_only(), run.outputs.descriptor()}));
  const std::string end = reply.TextAt("end");
  Status read = ReadRefused(reply, &run.refused);
  if (!read.ok()) {
    // Handled below.
  } else if (end == "needs_build") {
    read = ReadWanted(reply, request.target, &run);
  } else if (end == "ran") {
    read = ReadReply(reply, request, &run);
  } else if (end == "fault") {
    run.fault = RaisedFault(reply);
  } else if (end == "reached_out") {
    run.fault = ReachedOut(reply);
  } else {
    run.fault = EndedFault(reply, run.outputs, !request.libraries.empty());
  }
  if (!read.ok()) {
    run.wanted.clear();
    run.fault = CandidateFault{VerdictStatus::kIllegal,
                               "observer_disabled",
                               GateId::kCorrectness,
                               "its process answered with " + read.message(),
                               std::nullopt,
                               0};
  }
  return run;
}

}  // namespace kernelmill
