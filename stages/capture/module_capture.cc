#include "stages/capture/module_capture.h"

namespace kernelmill {
namespace {

// Without data, forward() usually takes milliseconds in the worker; that of a whole language model
// takes more.
constexpr WorkerLimits kLimits = {.cpu_ms = 120'000, .memory_bytes = std::int64_t{8} << 30};

}  // namespace

Result<ModuleCapture> CaptureModule(const std::string& code, const Sizes& sizes,
                                    TorchWorker* worker) {
  ModuleCapture capture;
  KM_ASSIGN(const Json reply, worker->Call(Json::Object{{"kind", "capture"},
                                                        {"code", code},
                                                        {"sizes", ToJson(sizes)},
                                                        {"seed", 42},
                                                        {"training", true},
                                                        {"limits", kLimits.ToJson()}}));
  const std::string end = reply.TextAt("end");
  if (end != "captured") {
    const std::string detail = reply.TextAt("detail");
    capture.problem = detail.empty() ? end : end + ": " + detail;
    return capture;
  }
  KM_ASSIGN(capture.run, CapturedRun::FromJson(reply));
  return capture;
}

}  // namespace kernelmill
