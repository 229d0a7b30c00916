#include "stages/device/gpu_device.h"

#include <algorithm>
#include <utility>

#include "corpora/kernel_backend.h"
#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "manifests/split_mix.h"
#include "stages/device/gpu_lock.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kTrials = 3;  // Sets of inputs that are compared.
constexpr seconds kDescribeLimit{300};
constexpr char kFailed[] = "failed", kReady[] = "ready", kBuilding[] = "building";

// Where installers put NVIDIA's compiler, and the host's.
constexpr const char* kNvcc[] = {"/usr/local/cuda/bin/nvcc", "/usr/local/bin/nvcc",
                                 "/usr/bin/nvcc"};
constexpr const char* kCompilers[] = {"/usr/bin/g++", "/usr/bin/c++"};

template <std::size_t n>
std::string FirstOf(const char* const (&paths)[n]) {
  std::error_code error;
  for (const char* path : paths) {
    // The real path, because nvcc finds its parts beside it.
    if (fs::exists(path, error)) return fs::canonical(path, error);
  }
  return {};
}

Status Missing(const std::string& what) {
  return Status(ErrorCode::kEnvironment, what + "; measuring needs a machine with a GPU");
}

// Removes the folders that killed runs have left; a run that goes on is never as old.
void RemoveLeftOver(const fs::path& folder) {
  std::error_code error;
  const auto limit = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error) && entry.last_write_time(error) < limit && !error) {
      fs::remove_all(entry.path(), error);
    }
  }
}

// The outcome of a failure that answer_program.py reports as `what`.
MeasurementOutcome OutcomeOf(std::string_view what) {
  if (what == "build") return MeasurementOutcome::kNotBuilt;
  if (what == "load") return MeasurementOutcome::kNotLoaded;
  if (what == "wrong") return MeasurementOutcome::kWrong;
  if (what == "timed_out") return MeasurementOutcome::kTimedOut;
  if (what == "reference") return MeasurementOutcome::kNoReference;
  return MeasurementOutcome::kCrashed;
}

bool HasFailed(const Json& reply) { return reply.TextAt("state") == kFailed; }

Result<std::optional<TimeSpread>> SpreadAt(const Json& reply, std::string_view key) {
  const Json* const spread = reply.Find(key);
  if (spread == nullptr)
    return Status(ErrorCode::kWorker, "a measurement without " + std::string(key));
  KM_ASSIGN(TimeSpread times, TimeSpread::FromJson(*spread));
  return std::optional(times);
}

Result<DeviceState> StateAt(const Json& reply, std::string_view key) {
  const Json* const state = reply.Find(key);
  return DeviceState::FromJson(state == nullptr ? Json() : *state);
}

// The measurement with what a reply to "run" says.
Result<Measurement> TimesOf(const Json& reply, Measurement measurement) {
  measurement.outcome = MeasurementOutcome::kMeasured;
  measurement.detail.clear();
  KM_ASSIGN(measurement.answer, SpreadAt(reply, "answer"));
  KM_ASSIGN(measurement.eager, SpreadAt(reply, "eager"));
  KM_ASSIGN(measurement.before, StateAt(reply, "before"));
  KM_ASSIGN(measurement.after, StateAt(reply, "after"));
  return measurement;
}

}  // namespace

fs::path GpuDeviceOptions::DefaultFolder() { return CheckoutRoot() / ".cache" / "device"; }

GpuDevice::GpuDevice(GpuDeviceOptions options, PassingFolder headers)
    : options_(std::move(options)), headers_(std::move(headers)) {}
GpuDevice::~GpuDevice() = default;

Result<std::unique_ptr<GpuDevice>> GpuDevice::Open(GpuDeviceOptions options) {
  KM_RETURN_IF_ERROR(MakeFolders(options.folder.string()));
  RemoveLeftOver(options.folder);
  KM_ASSIGN(PassingFolder headers, PassingFolder::Create(options.folder, "headers"));
  std::unique_ptr<GpuDevice> device(new GpuDevice(std::move(options), std::move(headers)));
  device->compiler_ = FirstOf(kCompilers);
  if (device->compiler_.empty()) return Missing("there is no g++");
  if (device->options_.device == kCudaBackend.name) {
    device->nvcc_ = FirstOf(kNvcc);
    if (device->nvcc_.empty()) return Missing("there is no nvcc in /usr/local/cuda/bin");
  }
  KM_RETURN_IF_ERROR(device->Describe());
  return device;
}

Json GpuDevice::Request(std::string_view kind) const {
  return Json::Object{{"kind", kind},
                      {"device", options_.device},
                      {"backends", BackendTable()},
                      {"compiler", compiler_},
                      {"nvcc", nvcc_},
                      {"headers", InsideWorker(headers_.path())},
                      {"capability", capability_},
                      {"budget_ms", options_.budget_ms}};
}

Status GpuDevice::Describe() {
  const bool gpu = options_.device == kCudaBackend.name;
  KM_ASSIGN(DeviceProcess process, DeviceProcess::Start({.headers = {},
                                                         .writable = headers_.path(),
                                                         .device = gpu ? 0 : -1}));
  KM_ASSIGN(const Json reply, process.Ask(Request("describe"), kDescribeLimit));
  if (HasFailed(reply)) {
    // No foreign code has run yet, so that these are bubblewrap's own words.
    const std::string detail = reply.TextAt("detail");
    if (detail.starts_with("bwrap:")) return NoSandbox(detail);
    if (reply.TextAt("what") == "device") return Missing(detail);
    return Status(ErrorCode::kEnvironment, "preparing builds for the device failed: " + detail);
  }
  identity_ = {.name = reply.TextAt("name"),
               .architecture = options_.device,
               .driver = reply.TextAt("driver"),
               .cuda = reply.TextAt("cuda"),
               .torch = reply.TextAt("torch")};
  seated_.resize(gpu ? CountGpus() : 1);
  const Json* const capability = reply.Find("capability");
  if (capability != nullptr && capability->is_array() && capability->as_array().size() == 2) {
    capability_ = *capability;
    identity_.architecture = "sm_";
    for (const Json& part : capability->as_array()) {
      identity_.architecture += std::to_string(part.as_int());
    }
  }
  return Status::Ok();
}

// The GPU that a process sees, from its start: the one with the fewest processes of this device.
class GpuDevice::Seat {
 public:
  explicit Seat(GpuDevice& device) : device_(device) {
    const std::scoped_lock lock(device_.mutex_);
    auto& seated = device_.seated_;
    gpu_ = std::min_element(seated.begin(), seated.end()) - seated.begin();
    ++seated[static_cast<std::size_t>(gpu_)];
  }
  Seat(Seat&&) = delete;
  ~Seat() {
    const std::scoped_lock lock(device_.mutex_);
    --device_.seated_[static_cast<std::size_t>(gpu_)];
  }
  int gpu() const { return static_cast<int>(gpu_); }

 private:
  GpuDevice& device_;
  std::ptrdiff_t gpu_ = 0;
};

Result<Json> GpuDevice::RunOnDevice(const Json& request, const std::string& writable,
                                    seconds limit) {
  const bool has_gpu = options_.device == kCudaBackend.name;
  const Seat seat(*this);
  std::optional<GpuLock> lock;  // Before the process: the GPU is free when that has ended.
  KM_ASSIGN(DeviceProcess process, DeviceProcess::Start({.headers = headers_.path(),
                                                         .writable = writable,
                                                         .device = has_gpu ? seat.gpu() : -1}));
  // What is left of the limits: a process may build and run several times.
  milliseconds to_build = options_.build_limit, to_run = limit;
  const auto ask = [&](const Json& question, milliseconds* left) {
    const auto begin = std::chrono::steady_clock::now();
    Result<Json> reply = process.Ask(question, *left);
    *left -= std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
    return reply;
  };
  KM_ASSIGN(Json reply, ask(request, &to_build));
  while (true) {
    const std::string state = reply.TextAt("state");
    if (state == kReady && !lock) {
      KM_ASSIGN(GpuLock taken, GpuLock::Take(options_.folder, seat.gpu()));
      lock.emplace(std::move(taken));
      KM_ASSIGN(reply, ask(Json::Object{}, &to_run));
    } else if (state == kBuilding && lock) {
      lock.reset();
      KM_ASSIGN(reply, ask(Json::Object{}, &to_build));
    } else {
      return reply;
    }
  }
}

Result<GpuDevice::Baseline> GpuDevice::CompiledTimes(const MeasuredAnswer& answer) {
  const std::string key = DigestOf(answer.reference).Hex() + (answer.training ? "t" : "e");
  {
    const std::scoped_lock lock(mutex_);
    const auto known = compiled_.find(key);
    if (known != compiled_.end()) return known->second;
  }
  Json request = Request("baseline");
  request["reference"] = answer.reference;
  request["training"] = answer.training;
  request["seeds"] = Json::Array{static_cast<std::int64_t>(1)};
  KM_ASSIGN(const Json reply, RunOnDevice(request, "", options_.compile_limit));
  Baseline baseline;
  if (HasFailed(reply)) {
    baseline.error = reply.TextAt("detail");
  } else if (const Result<std::optional<TimeSpread>> times = SpreadAt(reply, "compiled");
             times.ok()) {
    baseline.times = *times;
  } else {
    baseline.error = times.status().message();
  }
  // Of two threads that measure one task at the same time, the first one's times stay.
  const std::scoped_lock lock(mutex_);
  return compiled_.try_emplace(key, baseline).first->second;
}

Result<Measurement> GpuDevice::Measure(const MeasuredAnswer& answer) {
  Measurement measurement;
  measurement.device = identity_;
  KM_ASSIGN(const PassingFolder folder, PassingFolder::Create(options_.folder, "build"));
  Json request = Request("run");
  request["backend"] = answer.backend->name;
  request["reference"] = answer.reference;
  request["candidate"] = answer.code;
  request["training"] = answer.training;
  request["folder"] = InsideWorker(folder.path());
  std::uint64_t seed = answer.seed;
  Json::Array chosen;
  for (int trial = 0; trial < kTrials; ++trial) {
    chosen.emplace_back(static_cast<std::int64_t>(NextMixedBits(&seed) >> 33));
  }
  request["seeds"] = std::move(chosen);
  request["tolerances"] =
      Json::Object{{"float32", answer.tolerance},      {"float64", answer.tolerance},
                   {"float16", answer.half_tolerance}, {"bfloat16", answer.half_tolerance},
                   {"complex64", answer.tolerance},    {"complex128", answer.tolerance}};
  KM_ASSIGN(const Json reply, RunOnDevice(request, folder.path(), options_.run_limit));
  if (HasFailed(reply)) {
    measurement.outcome = OutcomeOf(reply.TextAt("what"));
    measurement.detail = reply.TextAt("detail");
    return measurement;
  }
  // The answer's process has sent this: what is no measurement is its fault.
  measurement.outcome = MeasurementOutcome::kCrashed;
  measurement.detail = "its process sent no times";
  const Result<Measurement> times = TimesOf(reply, measurement);
  if (!times.ok()) return measurement;
  measurement = *times;
  if (!options_.compiled) return measurement;
  KM_ASSIGN(const Baseline baseline, CompiledTimes(answer));
  measurement.compiled = baseline.times;
  if (!baseline.times) measurement.detail = "torch.compile: " + baseline.error;
  return measurement;
}

}  // namespace kernelmill
