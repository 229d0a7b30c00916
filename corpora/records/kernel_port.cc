#include "corpora/records/kernel_port.h"

#include "corpora/kernel_backend.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;

}  // namespace

Json KernelPort::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"kernels", kernelmill::ToJson(kernels)},
                      {"port_kernels", kernelmill::ToJson(port_kernels)},
                      {"code", code},
                      {"port_backend", port_backend},
                      {"port_code", port_code}};
}

Result<KernelPort> KernelPort::FromJson(const Json& json) {
  KernelPort port;
  JsonFields fields(json, "port");
  fields.Version(kVersion);
  fields.Read("kernels", &port.kernels);
  fields.Read("port_kernels", &port.port_kernels);
  fields.Read("code", &port.code);
  fields.Read("port_backend", &port.port_backend);
  fields.Read("port_code", &port.port_code);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(CheckBackendName("port", port.port_backend));
  return port;
}

}  // namespace kernelmill
