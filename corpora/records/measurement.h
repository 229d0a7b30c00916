// A measurement: how fast an answer is on a real device, against PyTorch there. It belongs to a
// verdict, but is not a part of one: a verdict can be derived again anywhere, a time cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/json.h"
#include "manifests/status.h"

namespace kernelmill {

// How the run on the device ended. To add a value, add it here and its name in measurement.cc.
enum class MeasurementOutcome {
  kMeasured,
  kWrong,        // The device's results differ from the reference's there.
  kNotBuilt,     // The device's compiler or linker refuses it.
  kNotLoaded,    // Importing or constructing it failed.
  kCrashed,      // forward() raised an error, or the process died.
  kTimedOut,     // Stopped by a time limit.
  kNoReference,  // The task itself does not run on the device; says nothing about the answer.
};

// "measured", "wrong", "not_built" …
std::string_view OutcomeName(MeasurementOutcome outcome);
Result<MeasurementOutcome> OutcomeFromName(std::string_view name);

// The times of several calls, in milliseconds.
struct TimeSpread {
  double median_ms = 0;
  double low_ms = 0, high_ms = 0;  // The 5th and the 95th percentile.
  std::int64_t runs = 0;

  Json ToJson() const;
  static Result<TimeSpread> FromJson(const Json& json);
  bool operator==(const TimeSpread&) const = default;
};

// What the device's driver tells of its state; std::nullopt for what it does not.
struct DeviceState {
  std::optional<std::int64_t> sm_mhz, memory_mhz, load_percent, celsius;

  Json ToJson() const;
  static Result<DeviceState> FromJson(const Json& json);
  bool operator==(const DeviceState&) const = default;
};

// The device and the software that ran an answer. Times of different ones are not comparable.
struct DeviceIdentity {
  std::string name;          // "NVIDIA H100 80GB HBM3"
  std::string architecture;  // "sm_90"
  std::string driver, cuda, torch;

  Json ToJson() const;
  static Result<DeviceIdentity> FromJson(const Json& json);
  bool operator==(const DeviceIdentity&) const = default;
};

struct Measurement {
  MeasurementOutcome outcome = MeasurementOutcome::kNoReference;
  std::string detail;  // One line or the compiler's messages; empty when it was measured.
  DeviceIdentity device;
  // Of the answer, of the reference, and of the reference under torch.compile, which is
  // std::nullopt where that was not asked for or fails. The first two are there when the outcome is
  // "measured".
  std::optional<TimeSpread> answer, eager, compiled;
  DeviceState before, after;

  // Whether the device found the answer wrong or could not run it; not when the task itself does
  // not run there.
  bool IsFailure() const {
    return outcome != MeasurementOutcome::kMeasured && outcome != MeasurementOutcome::kNoReference;
  }
  // How many times as fast as eager PyTorch the answer is, by the medians; std::nullopt when it was
  // not measured.
  std::optional<double> SpeedUp() const;
  // The same against the reference under torch.compile.
  std::optional<double> SpeedUpOverCompiled() const;
  // Whether the device was in use just before the run, by this run's last answer or by something
  // else: then the clocks and the times may differ.
  bool IsDisturbed() const;
  // With "speedup", "speedup_over_compiled" and "disturbed", which follow from the rest.
  Json ToJson() const;
  static Result<Measurement> FromJson(const Json& json);
};

}  // namespace kernelmill
