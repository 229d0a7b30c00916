#include "stages/device/device_process.h"

#include <algorithm>
#include <utility>

#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// "/dev/nvidia0", "/dev/nvidia1", …
std::string GpuNode(int index) { return "/dev/nvidia" + std::to_string(index); }

// The nodes of NVIDIA's driver for one GPU.
std::vector<std::string> DeviceNodes(int device) {
  std::vector<std::string> nodes = {GpuNode(device)};
  for (const char* node : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
                           "/dev/nvidia-modeset", "/dev/nvidia-caps"}) {
    nodes.emplace_back(node);
  }
  return nodes;
}

}  // namespace

std::size_t CountGpus() {
  std::size_t count = 0;
  std::error_code error;
  while (fs::exists(GpuNode(static_cast<int>(count)), error)) ++count;
  return std::max<std::size_t>(1, count);
}

Result<DeviceProcess> DeviceProcess::Start(const DeviceProcessOptions& options) {
  const fs::path program = CheckoutRoot() / "stages" / "device" / "program";
  SandboxContents contents;
  contents.folders = {program.string()};
  if (!options.headers.empty()) contents.folders.push_back(options.headers);
  contents.writable = options.writable;
  if (options.device >= 0) contents.devices = DeviceNodes(options.device);
  contents.environment = {{"PYTHONPATH", InsideWorker(program) + ":" + std::string(kWorkerInside)}};
  contents.program = InsideWorker(program / "answer_program.py");
  KM_ASSIGN(const std::vector<std::string> command, SandboxOf(contents));
  KM_ASSIGN(WorkerProcess process, WorkerProcess::Spawn(command));
  return DeviceProcess(std::move(process));
}

Result<Json> DeviceProcess::Ask(const Json& request, std::chrono::milliseconds patience) {
  const auto begin = std::chrono::steady_clock::now();
  const Status sent = process_.Send(request.Dump());
  const Result<std::string> frame =
      sent.ok() ? process_.Receive(patience) : Result<std::string>(sent);
  if (frame.ok()) {
    Result<Json> reply = Json::Parse(*frame);
    if (reply.ok() && reply->is_object()) return reply;
    // An answer may write to the channel.
    return Json(Json::Object{
        {"state", "failed"}, {"what", "crashed"}, {"detail", "its process sent no result"}});
  }
  if (frame.status().code() == ErrorCode::kInterrupted) return frame.status();
  const bool late = std::chrono::steady_clock::now() - begin >= patience;
  const std::string words = process_.LastWords();
  return Json(Json::Object{
      {"state", "failed"},
      {"what", late ? "timed_out" : "crashed"},
      {"detail", late ? "it took longer than " + std::to_string(patience.count() / 1000) + " s"
                 : words.empty() ? "its process ended"
                                 : words}});
}

}  // namespace kernelmill
