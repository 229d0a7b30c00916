#include "stages/capture/run_capture.h"

namespace kernelmill {
namespace {

// Without data, forward() usually takes milliseconds in the worker; that of a whole language model
// takes more.
constexpr WorkerLimits kLimits = {.cpu_ms = 120'000, .memory_bytes = std::int64_t{8} << 30};

}  // namespace

Result<CapturedRun> CaptureRun(const std::string& code, const Sizes& sizes, TorchWorker* worker) {
  KM_ASSIGN(const Json reply, worker->Call(Json::Object{{"kind", "capture"},
                                                        {"code", code},
                                                        {"sizes", ToJson(sizes)},
                                                        {"seed", 42},
                                                        {"training", true},
                                                        {"limits", kLimits.ToJson()}}));
  const std::string end = reply.TextAt("end");
  if (end != "captured") {
    const std::string detail = reply.TextAt("detail");
    CapturedRun none;
    none.obstacle = detail.empty() ? end : end + ": " + detail;
    return none;
  }
  return CapturedRun::FromJson(reply);
}

}  // namespace kernelmill
