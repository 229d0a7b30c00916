// Numbers that follow from an answer's plan and counters, for prose about its speed
// (performance_findings.h) and for the check of that prose (generators/grounding/).
#pragma once

#include <cstdint>
#include <string>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/task.h"

namespace kernelmill {

// The device that times are given for, from NVIDIA's data sheet of the A100 with 40 GB: FP32
// without tensor cores, and memory bandwidth.
inline constexpr std::string_view kKnownDevice = "A100 (1.56 TB/s, 19.5 TFLOP/s in FP32)";
inline constexpr double kKnownBandwidth = 1.56e12, kKnownFlops = 19.5e12;

// The time in microseconds that the device needs at least: "0.5", "12". Below 0.1 "0.1".
std::string LeastMicroseconds(std::int64_t flops, std::int64_t bytes);

// One decimal: "4.0".
std::string Decimal(double number);

// The bytes of the inputs, parameters and outputs, each once: what any answer has to move.
std::int64_t BoundaryBytes(const Task& task, const Annotation& facts);

// How many times the bytes of the plan its counters loaded and stored; 0 when they were not
// counted, or at other sizes than the plan's.
double TimesOfPlannedBytes(const Candidate& answer);

}  // namespace kernelmill
