// How a published record differs from the one that its sources make, in the words of a finding.
#pragma once

#include <string>
#include <string_view>

#include "corpora/records/record.h"

namespace kernelmill {

inline constexpr std::string_view kNotMadeAtAll = "its sources do not make this record at all";

// `derived_bytes`: the other record, encoded, which is not equal.
std::string DifferenceBetween(const Record& found, const std::string& derived_bytes);

}  // namespace kernelmill
