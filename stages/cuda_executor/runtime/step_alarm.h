// Calls a function at one scheduler step of the process (ExecutionOptions::step_budget says what
// these are), in the middle of a launch.
#pragma once

#include <cstdint>

namespace kernelmill {

struct StepAlarm {
  std::uint64_t steps = 0;  // So far, of all launches.
  std::uint64_t at = 0;     // 0: never.
  void (*ring)() = nullptr;

  void Count() {
    if (++steps == at) ring();
  }
};
inline constinit StepAlarm step_alarm;

}  // namespace kernelmill
