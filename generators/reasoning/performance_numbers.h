// Numbers that follow from an answer's plan and counters, for prose about its speed
// (performance_findings.h) and for the check of that prose (generators/grounding/).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/task.h"

namespace kernelmill {

// The device that times are given for: its peak rates in FP32 without matrix units, and of its
// memory, from the vendors' data sheets (A100 with 40 GB; MTT S4000).
struct KnownDevice {
  std::string_view name;   // "A100", which an article can precede.
  std::string_view peaks;  // "1.56 TB/s, 19.5 TFLOP/s in FP32"
  std::string_view peaks_in_chinese;
  double bandwidth = 0;  // Bytes per second.
  double flops = 0;      // Per second.
};
const KnownDevice& KnownDeviceOf(std::string_view backend);

// The time in microseconds that the device needs at least: "0.5", "12". Below 0.1 "0.1".
std::string LeastMicroseconds(std::int64_t flops, std::int64_t bytes, const KnownDevice& device);

// An estimated speedup, which has two significant digits: "0.85", "1.2", "14".
std::string SpeedText(double speed);

// Accesses with up to kCoalesced times the fewest sectors count as coalesced, with more than
// kUncoalesced times as uncoalesced. Below kLowOccupancy few warps hide the latency of memory.
inline constexpr double kCoalesced = 1.2, kUncoalesced = 1.5, kLowOccupancy = 0.5;

// One decimal: "4.0".
std::string Decimal(double number);

// The bytes of the inputs, parameters and outputs, each once: what any answer has to move.
std::int64_t BoundaryBytes(const Task& task, const Annotation& facts);

// How many times the bytes of the plan its counters loaded and stored; 0 when they were not
// counted, or at other sizes than the plan's.
double TimesOfPlannedBytes(const Candidate& answer);

}  // namespace kernelmill
