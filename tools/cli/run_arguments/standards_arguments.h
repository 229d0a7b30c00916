// The options of `export --format standards`: what no file of a dataset says of its publication,
// and the key to sign with.
#pragma once

#include <CLI/CLI.hpp>

#include "stages/audit/standard_documents.h"

namespace kernelmill {

inline constexpr std::string_view kStandardsFormat = "standards";
inline constexpr std::string_view kStandardsExplanation =
    "what auditors' tools read: Croissant 1.1 with RAI fields, SPDX 3.0.1 and SLSA provenance";

void AddStandardsOptions(CLI::App& app, StandardsOptions* options);

// kUsage, with the option and what to do, when one is missing, or a day or URL is malformed.
Status CheckStandardsOptions(const StandardsOptions& options);

}  // namespace kernelmill
