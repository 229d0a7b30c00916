// The first line in which a published file differs from what it should be, for the findings of an
// audit.
#pragma once

#include <cstdint>
#include <string>

#include "stages/audit/audit.h"

namespace kernelmill {

struct LineDifference {
  std::int64_t line = 1;        // From 1.
  std::string found, expected;  // The parts of both lines around the first difference, printable.
};

// `found` and `expected` differ.
LineDifference FirstDifference(const std::string& found, const std::string& expected);

// The finding "it says '…', but MAKERS '…'" on a file of a dataset. `makers` ends with a verb: "the
// records make".
AuditFinding FindingOn(const std::string& file, const LineDifference& difference,
                       const std::string& makers);

}  // namespace kernelmill
