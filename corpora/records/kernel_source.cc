#include "corpora/records/kernel_source.h"

#include "corpora/kernel_backend.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;

template <typename T>
Json::Array ToArray(const std::vector<T>& items) {
  Json::Array array;
  for (const T& item : items) array.push_back(item.ToJson());
  return array;
}

}  // namespace

Json KernelLaunch::ToJson() const {
  return Json::Object{{"function", function},
                      {"template_arguments", template_arguments},
                      {"grid", grid},
                      {"block", block},
                      {"shared", shared},
                      {"stream", stream},
                      {"setup", kernelmill::ToJson(setup)}};
}

Result<KernelLaunch> KernelLaunch::FromJson(const Json& json) {
  KernelLaunch launch;
  JsonFields fields(json, "launch");
  fields.Read("function", &launch.function);
  fields.Read("template_arguments", &launch.template_arguments);
  fields.Read("grid", &launch.grid);
  fields.Read("block", &launch.block);
  fields.Read("shared", &launch.shared);
  fields.Read("stream", &launch.stream);
  fields.Read("setup", &launch.setup);
  KM_RETURN_IF_ERROR(fields.Finish());
  return launch;
}

Json KernelBinding::ToJson() const {
  return Json::Object{{"name", name}, {"function", function}, {"launcher", launcher}};
}

Result<KernelBinding> KernelBinding::FromJson(const Json& json) {
  KernelBinding binding;
  JsonFields fields(json, "binding");
  fields.Read("name", &binding.name);
  fields.Read("function", &binding.function);
  fields.Read("launcher", &binding.launcher);
  KM_RETURN_IF_ERROR(fields.Finish());
  return binding;
}

Json KernelSource::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"name", name},
                      {"backend", backend},
                      {"code", code},
                      {"line", line},
                      {"launches", ToArray(launches)},
                      {"bindings", ToArray(bindings)},
                      {"missing", kernelmill::ToJson(missing)},
                      {"omitted", kernelmill::ToJson(omitted)},
                      {"complete", Complete()}};
}

Result<KernelSource> KernelSource::FromJson(const Json& json) {
  KernelSource kernel;
  bool complete = false;
  JsonFields fields(json, "kernel");
  fields.Version(kVersion);
  fields.Read("name", &kernel.name);
  fields.Read("backend", &kernel.backend);
  fields.Read("code", &kernel.code);
  fields.Read("line", &kernel.line);
  fields.ReadArray("launches", &kernel.launches, KernelLaunch::FromJson);
  fields.ReadArray("bindings", &kernel.bindings, KernelBinding::FromJson);
  fields.Read("missing", &kernel.missing);
  fields.Read("omitted", &kernel.omitted);
  fields.Read("complete", &complete);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (complete != kernel.Complete()) {
    return Status(ErrorCode::kCorrupt, "kernel: complete, but names are missing, or the reverse");
  }
  KM_RETURN_IF_ERROR(CheckBackendName("kernel", kernel.backend));
  return kernel;
}

}  // namespace kernelmill
