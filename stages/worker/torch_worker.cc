#include "stages/worker/torch_worker.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "corpora/kernel_backend.h"
#include "manifests/shortage.h"
#include "stages/engine/interrupt.h"
#include "stages/engine/machine_limits.h"
#include "stages/untrusted/system_call_filter.h"
#include "stages/worker/limit_ends.h"
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
constexpr char kHost[] = "host";  // See guard.py.
// After each of these pauses a request is sent again to a fresh worker, if the one before it ended
// or says that the machine is to blame.
constexpr milliseconds kPauses[] = {milliseconds(0), milliseconds(500), milliseconds(3000)};
constexpr int kMostStarts = 3;
constexpr char kAdvice[] =
    "; where memory runs out, the kernel ends processes (dmesg says so): free some, or use fewer "
    "--jobs, and run the same command again";

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
  if (foreign && (!whole || end->as_string() == kNoSandbox || end->as_string() == kHost)) {
    NoteEnd("killed");
    return Json(Json::Object{{"end", "killed"}, {"detail", "its answer is none"}});
  }
  if (!whole) {
    return Status(ErrorCode::kWorker, "the torch worker sent a reply without an \"end\"");
  }
  NoteEnd(end->as_string());
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

  // Starts the process, and waits until it is ready and has created one sandbox. A process that
  // ends before is started again.
  Status Launch() {
    Status status;
    for (int start = 0; start < kMostStarts; ++start) {
      if (start > 0 && Pause(kPauses[start]) == Waited::kInterrupted) return InterruptedStatus();
      status = LaunchOnce();
      if (status.code() != ErrorCode::kWorker) return status;
    }
    return Status(status.code(), status.message() + kAdvice);
  }

  Status LaunchOnce() {
    KM_ASSIGN(process, WorkerProcess::Spawn(command));
    const Status sent = process.Send(filter);
    const Result<std::string> hello =
        sent.ok() ? process.Receive(kStartPatience) : Result<std::string>(sent);
    if (!hello.ok()) {
      if (hello.status().code() == ErrorCode::kInterrupted) return hello.status();
      const std::string words = process.LastWords();
      const bool machine = words.empty() || NamesShortage(words);
      if (words.starts_with("bwrap:") && !machine) return NoSandbox(words);
      return Status(machine ? ErrorCode::kWorker : ErrorCode::kEnvironment,
                    "the torch worker did not start: " + (words.empty() ? "no message" : words));
    }
    KM_ASSIGN(versions, Json::Parse(*hello));
    const Result<Json> probe = Exchange(process, Json::Object{{"kind", "probe"}}, kGrace);
    if (probe.status().code() == ErrorCode::kInterrupted) return probe.status();
    if (const std::string why = WhyHost(probe); !why.empty()) {
      return Status(ErrorCode::kWorker, "the torch worker cannot answer a request: " + why);
    }
    return CheckSandbox(*probe);
  }

  // Why the machine is to blame for the end of a request; empty if it is not.
  static std::string WhyHost(const Result<Json>& reply) {
    if (!reply.ok()) return reply.status().message();
    if (reply->TextAt("end") != kHost) return {};
    const std::string detail = reply->TextAt("detail");
    return "the process of a request did not end by itself: " + detail;
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
  KM_RETURN_IF_ERROR(CheckLimits(1));
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
  Result<Json> reply = Exchange(state_->process, request, patience, files);
  std::string why = State::WhyHost(reply);
  for (const milliseconds pause : kPauses) {
    if (why.empty()) break;
    if (reply.status().code() == ErrorCode::kInterrupted) return reply;
    if (pause.count() > 0 && Pause(pause) == Waited::kInterrupted) return InterruptedStatus();
    KM_RETURN_IF_ERROR(state_->Launch());
    reply = Exchange(state_->process, request, patience, files);
    why = State::WhyHost(reply);
  }
  if (why.empty()) {
    KM_RETURN_IF_ERROR(State::CheckSandbox(*reply));
    return reply;
  }
  if (reply.status().code() == ErrorCode::kInterrupted) return reply;
  // Launch() ends with a request that does nothing: if it fails too, its message says so.
  KM_RETURN_IF_ERROR(state_->Launch());
  return Status(ErrorCode::kWorker,
                why + ", " + std::to_string(std::size(kPauses) + 1) +
                    " times on the same request, while one that does nothing was answered; the "
                    "worker is started by " +
                    state_->command.front() + kAdvice);
}

}  // namespace kernelmill
