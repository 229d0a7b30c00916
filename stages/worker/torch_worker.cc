#include "stages/worker/torch_worker.h"

#include <algorithm>
#include <cstdlib>

#include "corpora/kernel_backend.h"
#include "stages/untrusted/system_call_filter.h"
#include "stages/worker/sandbox.h"
#include "stages/worker/worker_process.h"

namespace kernelmill {
namespace {

using std::chrono::milliseconds;

// Importing torch from a cold disk takes minutes on some machines.
constexpr milliseconds kStartPatience{300'000};
// Added to kPatience times a request's time limit, because the worker enforces that limit itself
// (guard.py).
constexpr milliseconds kGrace{30'000};
constexpr int kPatience = 10;
constexpr char kCapability[] = "ATEN_CPU_CAPABILITY";
// Read by torch_worker/backends.py.
constexpr char kBackends[] = "KERNELMILL_BACKENDS";
constexpr char kNoSandbox[] = "no_sandbox";

Result<Json> Exchange(WorkerProcess& process, const Json& request, milliseconds patience,
                      const std::vector<int>& files = {}) {
  KM_RETURN_IF_ERROR(process.Send(request.Dump(), files));
  KM_ASSIGN(const std::string frame, process.Receive(patience));
  // The first byte tells which process answers (guard.py). The process that ran untrusted code can
  // answer anything; its answer must not be taken for one of the worker itself.
  const bool foreign = frame.starts_with('=');
  Result<Json> reply = Json::Parse(frame.substr(std::min<std::size_t>(1, frame.size())));
  const Json* end = reply.ok() ? reply->Find("end") : nullptr;
  const bool whole = end != nullptr && end->is_string();
  if (foreign && (!whole || end->as_string() == kNoSandbox)) {
    return Json(Json::Object{{"end", "killed"}, {"detail", "its answer is none"}});
  }
  if (!whole) {
    return Status(ErrorCode::kWorker, "the torch worker sent a reply without an \"end\"");
  }
  return reply;
}

milliseconds PatienceFor(const Json& request) {
  const Json* limits = request.Find("limits");
  const Json* wall = limits != nullptr ? limits->Find("wall_ms") : nullptr;
  if (wall == nullptr || !wall->is_int()) return kGrace + kGrace;
  return kPatience * milliseconds(wall->as_int()) + kGrace;
}

}  // namespace

WorkerLimits WorkerLimits::Raised() const {
  WorkerLimits raised = *this;
  raised.idle_ms *= 10;
  raised.cpu_ms *= 10;
  raised.output_bytes *= 10;
  raised.memory_bytes *= 4;
  return raised;
}

Json WorkerLimits::ToJson() const {
  return Json::Object{
      {"wall_ms", idle_ms},           {"cpu_ms", cpu_ms}, {"memory_bytes", memory_bytes},
      {"output_bytes", output_bytes}, {"flops", flops},   {"bytes", bytes}};
}

struct TorchWorker::State {
  std::vector<std::string> command;
  std::string filter;  // The system call filter of each fork.
  WorkerProcess process;
  Json versions;

  // Starts the process, and waits until it is ready and has created one sandbox.
  Status Launch() {
    KM_ASSIGN(process, WorkerProcess::Spawn(command));
    const Status sent = process.Send(filter);
    const Result<std::string> hello =
        sent.ok() ? process.Receive(kStartPatience) : Result<std::string>(sent);
    if (!hello.ok()) {
      if (hello.status().code() == ErrorCode::kInterrupted) return hello.status();
      const std::string words = process.LastWords();
      if (words.starts_with("bwrap:")) return NoSandbox(words);
      return Status(ErrorCode::kWorker,
                    "the torch worker did not start: " + (words.empty() ? "no message" : words));
    }
    KM_ASSIGN(versions, Json::Parse(*hello));
    KM_ASSIGN(const Json probe, Exchange(process, Json::Object{{"kind", "probe"}}, kGrace));
    return CheckSandbox(probe);
  }

  static Status CheckSandbox(const Json& reply) {
    if (reply.Find("end")->as_string() != kNoSandbox) return Status::Ok();
    const Json* detail = reply.Find("detail");
    return NoSandbox(detail != nullptr && detail->is_string() ? detail->as_string() : "");
  }
};

TorchWorker::TorchWorker(std::unique_ptr<State> state) : state_(std::move(state)) {}
TorchWorker::~TorchWorker() = default;
TorchWorker::TorchWorker(TorchWorker&&) noexcept = default;
TorchWorker& TorchWorker::operator=(TorchWorker&&) noexcept = default;

const Json& TorchWorker::versions() const { return state_->versions; }

Result<TorchWorker> TorchWorker::Start(WorkerOptions options) {
  if (const char* capability = std::getenv(kCapability); capability != nullptr) {
    options.environment.insert(options.environment.begin(), {kCapability, capability});
  }
  options.environment.emplace_back(kBackends, BackendTable().Dump());
  KM_ASSIGN(auto command, SandboxCommand(options.environment, options.folders));
  auto state = std::make_unique<State>();
  state->command = std::move(command);
  KM_ASSIGN(state->filter, SystemCallFilterOf(ConfinedProcess::kTask));
  KM_RETURN_IF_ERROR(state->Launch());
  return TorchWorker(std::move(state));
}

Result<Json> TorchWorker::Call(const Json& request, const std::vector<int>& files) {
  const milliseconds patience = PatienceFor(request);
  const auto interrupted = [](const Result<Json>& exchanged) {
    return exchanged.status().code() == ErrorCode::kInterrupted;
  };
  Result<Json> reply = Exchange(state_->process, request, patience, files);
  if (!reply.ok() && !interrupted(reply)) {
    KM_RETURN_IF_ERROR(state_->Launch());
    reply = Exchange(state_->process, request, patience, files);
  }
  if (interrupted(reply)) return reply;
  if (!reply.ok()) {
    return Status(ErrorCode::kWorker, reply.status().message() +
                                          ", twice, on the same request; it is started by " +
                                          state_->command.front());
  }
  KM_RETURN_IF_ERROR(State::CheckSandbox(*reply));
  return reply;
}

}  // namespace kernelmill
