// Numbers that follow from an answer's plan and counters, for prose about its speed
// (performance_findings.h) and for the check of that prose (generators/grounding/).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/task.h"
#include "generators/reasoning/answer_code.h"
#include "generators/reasoning/known_device.h"

namespace kernelmill {

// The time in microseconds that the device needs at least at its peak rates. As a text it has two
// significant digits and is rounded down, because it is a lower bound: "0.047", "1.6", "120".
double LeastTime(std::int64_t flops, std::int64_t bytes, const KnownDevice& device);
std::string LeastMicroseconds(std::int64_t flops, std::int64_t bytes, const KnownDevice& device);
// The same text of any number of microseconds.
std::string MicrosecondsText(double microseconds);
// The least microseconds that the counted sectors take at the L2 cache, and the counted passes at
// the shared memory of all multiprocessors; 0 where the device's rates are not known.
double CacheTime(std::int64_t sectors, const KnownDevice& device);
double SharedTime(std::int64_t passes, const KnownDevice& device);

// An estimated speedup, which has two significant digits: "0.85", "1.2", "14".
std::string SpeedText(double speed);

inline constexpr std::int64_t kSectorBytes = 32;

// Accesses with up to kCoalesced times the fewest sectors count as coalesced, with more than
// kUncoalesced times as uncoalesced. Below kLowOccupancy few warps hide the latency of memory.
inline constexpr double kCoalesced = 1.2, kUncoalesced = 1.5, kLowOccupancy = 0.5;

// One decimal: "4.0".
std::string Decimal(double number);
// The same without ".0": "4".
std::string Short(double number);

// A function of the code that counts as one FLOP (OperatorCost) and takes a device many
// instructions: "tanhf". "" when it calls none.
std::string CostlyCall(const AnswerCode& code);

// The bytes of the inputs, parameters and outputs, each once: what any answer has to move.
std::int64_t BoundaryBytes(const Task& task, const Annotation& facts);

// Requests of more than so many times the bytes of the plan repeat loads.
inline constexpr double kManyTimes = 2;

// How many times the bytes of the plan its counters loaded and stored; 0 when they were not
// counted, or at other sizes than the plan's.
double TimesOfPlannedBytes(const Candidate& answer);

}  // namespace kernelmill
