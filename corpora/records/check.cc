#include "corpora/records/check.h"

#include "corpora/kernel_backend.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;

}  // namespace

Json CheckAspect::ToJson() const {
  return Json::Object{{"name", name}, {"what", what}, {"why", why}};
}

Result<CheckAspect> CheckAspect::FromJson(const Json& json) {
  CheckAspect read;
  JsonFields fields(json, "aspect");
  fields.Read("name", &read.name);
  fields.Read("what", &read.what);
  fields.Read("why", &read.why);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

Json Check::ToJson() const {
  Json::Array items;
  for (const CheckAspect& aspect : aspects) items.push_back(aspect.ToJson());
  return Json::Object{{"v", kVersion},
                      {"task", task.Hex()},
                      {"backend", backend},
                      {"code", code},
                      {"form", construction},
                      {"aspects", std::move(items)},
                      {"passed", kernelmill::ToJson(passed)},
                      {"caught", kernelmill::ToJson(caught)},
                      {"missed", kernelmill::ToJson(missed)}};
}

Result<Check> Check::FromJson(const Json& json) {
  Check read;
  JsonFields fields(json, "check");
  fields.Version(kVersion);
  fields.Read("task", &read.task);
  fields.Read("backend", &read.backend);
  fields.Read("code", &read.code);
  fields.Read("form", &read.construction);
  fields.ReadArray("aspects", &read.aspects, CheckAspect::FromJson);
  fields.Read("passed", &read.passed);
  fields.Read("caught", &read.caught);
  fields.Read("missed", &read.missed);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(CheckBackendName("check", read.backend));
  return read;
}

}  // namespace kernelmill
