// Verdict to and from JSON.
#include <algorithm>

#include "corpora/kernel_backend.h"
#include "corpora/records/verdict.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 8;

template <typename T>
Json ArrayOf(const std::vector<T>& items) {
  Json::Array array;
  for (const T& item : items) array.push_back(item.ToJson());
  return array;
}

// The field that says that the platform's own compiler has not seen the kernels; "" where NVRTC
// stands for it.
std::string CompiledField(std::string_view backend) {
  const KernelBackend* const platform = FindKernelBackend(backend);
  if (platform == nullptr || platform->unavailable_compiler.empty()) return {};
  return "compiled_by_" + std::string(platform->unavailable_compiler);
}

Result<Grade> GradeFromName(std::string_view name) {
  for (const Grade grade : {Grade::kNotTried, Grade::kAll, Grade::kRefuses, Grade::kWrong}) {
    if (GradeName(grade) == name) return grade;
  }
  return Status(ErrorCode::kCorrupt, "unknown grade '" + std::string(name) + "'");
}

}  // namespace

Json VerdictFinding::ToJson() const {
  return Json::Object{{"kind", reason}, {"file", file}, {"line", line}, {"detail", detail}};
}

Result<VerdictFinding> VerdictFinding::FromJson(const Json& json) {
  VerdictFinding read;
  JsonFields fields(json, "finding");
  fields.Read("kind", &read.reason);
  fields.Read("file", &read.file);
  fields.Read("line", &read.line);
  fields.Read("detail", &read.detail);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

Json VerdictElement::ToJson() const {
  return Json::Object{{"index", kernelmill::ToJson(index)}, {"expected", expected}, {"got", got}};
}

Result<VerdictElement> VerdictElement::FromJson(const Json& json) {
  VerdictElement read;
  JsonFields fields(json, "element");
  fields.Read("index", &read.index);
  fields.Read("expected", &read.expected);
  fields.Read("got", &read.got);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
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

Result<VerdictDiagnosis> VerdictDiagnosis::FromJson(const Json& json) {
  VerdictDiagnosis read;
  JsonFields fields(json, "diagnosis");
  fields.Read("output", &read.output);
  fields.Read("shape", &read.shape);
  fields.Read("wrong", &read.wrong);
  fields.Read("total", &read.total);
  fields.Read("pattern", &read.pattern);
  fields.Read("where", &read.where);
  fields.ReadArray("elements", &read.elements, VerdictElement::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

Json VerdictTrial::ToJson() const {
  return Json::Object{
      {"shapes", shapes}, {"values", values}, {"layout", layout}, {"passed", passed}};
}

Result<VerdictTrial> VerdictTrial::FromJson(const Json& json) {
  VerdictTrial read;
  JsonFields fields(json, "trial");
  fields.Read("shapes", &read.shapes);
  fields.Read("values", &read.values);
  fields.Read("layout", &read.layout);
  fields.Read("passed", &read.passed);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

Json VerdictSize::ToJson() const {
  return Json::Object{{"id", id}, {"names", kernelmill::ToJson(names)}, {"value", value}};
}

Result<VerdictSize> VerdictSize::FromJson(const Json& json) {
  VerdictSize read;
  JsonFields fields(json, "size");
  fields.Read("id", &read.id);
  fields.Read("names", &read.names);
  fields.Read("value", &read.value);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

Json VerdictCounts::ToJson() const {
  Json::Object json;
  for (const auto& [name, field] : AllVerdictCounts()) json[std::string(name)] = this->*field;
  const std::optional<double> lanes = LanesOfRequest();
  json["lanes_of_request"] = lanes ? Json(*lanes) : Json();
  return json;
}

Result<VerdictCounts> VerdictCounts::FromJson(const Json& json) {
  VerdictCounts read;
  JsonFields fields(json, "counts");
  for (const auto& [name, field] : AllVerdictCounts()) fields.Read(name, &(read.*field));
  Json lanes;  // Derived from the other fields.
  fields.Read("lanes_of_request", &lanes);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

Json VerdictLaunch::ToJson() const {
  return Json::Object{{"kernel", kernel},
                      {"count", count},
                      {"threads", threads},
                      {"shared", shared},
                      {"occupancy", occupancy ? Json(*occupancy) : Json()},
                      {"counts", counts ? counts->ToJson() : Json()}};
}

Result<VerdictLaunch> VerdictLaunch::FromJson(const Json& json) {
  VerdictLaunch read;
  JsonFields fields(json, "launch");
  fields.Read("kernel", &read.kernel);
  fields.Read("count", &read.count);
  fields.Read("threads", &read.threads);
  fields.Read("shared", &read.shared);
  Json occupancy, counts;
  fields.Read("occupancy", &occupancy);
  fields.Read("counts", &counts);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (!occupancy.is_null()) fields.Read("occupancy", &read.occupancy.emplace());
  if (!counts.is_null()) {
    KM_ASSIGN(read.counts, VerdictCounts::FromJson(counts));
  }
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
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

Json VerdictGenerality::ToJson() const {
  return Json::Object{{"sizes", GradeName(sizes)},
                      {"layouts", GradeName(layouts)},
                      {"values", GradeName(values)},
                      {"buffers", GradeName(buffers)}};
}

Result<VerdictGenerality> VerdictGenerality::FromJson(const Json& json) {
  VerdictGenerality read;
  std::string sizes, layouts, values, buffers;
  JsonFields fields(json, "generality");
  fields.Read("sizes", &sizes);
  fields.Read("layouts", &layouts);
  fields.Read("values", &values);
  fields.Read("buffers", &buffers);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(read.sizes, GradeFromName(sizes));
  KM_ASSIGN(read.layouts, GradeFromName(layouts));
  KM_ASSIGN(read.values, GradeFromName(values));
  KM_ASSIGN(read.buffers, GradeFromName(buffers));
  return read;
}

Json Verdict::ToJson() const {
  const std::optional<double> value = Reward();
  Json::Object json = {
      {"v", kVersion},
      {"status", StatusName(status)},
      {"reason", reason},
      {"gate", gate},
      {"detail", detail},
      {"policy", policy},
      {"backend", backend},
      {"target", target},
      {"verified_on", verified_on},
      {"contract", contract.Text()},
      {"generality", generality.ToJson()},
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
  if (const std::string field = CompiledField(backend); !field.empty()) json[field] = false;
  return json;
}

Result<Verdict> Verdict::FromJson(const Json& json) {
  Verdict read;
  std::string status, contract;
  Json device, diagnosis, reward;
  JsonFields fields(json, "verdict");
  fields.Version(kVersion);
  fields.Read("status", &status);
  fields.Read("reason", &read.reason);
  fields.Read("gate", &read.gate);
  fields.Read("detail", &read.detail);
  fields.Read("policy", &read.policy);
  fields.Read("backend", &read.backend);
  fields.Read("target", &read.target);
  fields.Read("verified_on", &read.verified_on);
  fields.Read("contract", &contract);
  fields.ReadValue("generality", &read.generality, VerdictGenerality::FromJson);
  fields.ReadValue("full_size", &read.full_size, VerdictFullSize::FromJson);
  fields.ReadArray("sizes", &read.sizes, VerdictSize::FromJson);
  fields.ReadArray("findings", &read.findings, VerdictFinding::FromJson);
  fields.ReadArray("trials", &read.trials, VerdictTrial::FromJson);
  fields.ReadArray("launches", &read.launches, VerdictLaunch::FromJson);
  fields.Read("device", &device);
  fields.Read("diagnosis", &diagnosis);
  fields.Read("feedback", &read.feedback);
  fields.Read("reward", &reward);  // Derived from the other fields.
  const std::string compiled = CompiledField(read.backend);
  if (bool ignored = false; fields.Has(compiled)) fields.Read(compiled, &ignored);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(CheckBackendName("verdict", read.backend));
  KM_ASSIGN(read.status, StatusFromName(status));
  KM_ASSIGN(read.contract, TaskContract::Parse(contract));
  if (!device.is_null()) {
    KM_ASSIGN(read.device, VerdictDevice::FromJson(device));
  }
  if (!diagnosis.is_null()) {
    KM_ASSIGN(read.diagnosis, VerdictDiagnosis::FromJson(diagnosis));
  }
  return read;
}

}  // namespace kernelmill
