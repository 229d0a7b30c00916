// What `verify` prints for one answer.
#pragma once

#include <string>

#include "corpora/records/measurement.h"
#include "manifests/json.h"

namespace kernelmill {

// A verdict (Verdict::ToJson()) in lines that are printable, with the status in colour if standard
// output has colours.
std::string PaintedVerdict(const Json& verdict);

// A measurement in one line, and the messages of a failure below it.
std::string MeasurementText(const Measurement& measurement);

}  // namespace kernelmill
