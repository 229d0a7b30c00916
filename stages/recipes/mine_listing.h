// Mining by itself: what the SFT pipeline would run, as text files to read.
#pragma once

#include "manifests/config.h"
#include "manifests/json.h"
#include "stages/recipes/sft_pipeline.h"

namespace kernelmill {

// Mines and samples into `options.output`, and writes there, one JSON object a line:
//   candidates.jsonl  the modules that would be tried (corpora/records/module_candidate.h), by content
//   kernels.jsonl     the records of native kernels; empty when `mine.kernels` is off
//   rejects.jsonl     {"step", "reason", "detail", "origins"} of what mining turned away
// and mining.json, the returned document: {"counts": {step: counts}, "candidates", "kernels",
// "rejects", "sources"}. A run that is stopped is taken up again; so is a finished one, by `sft` on
// the same folder and configuration.
Result<Json> WriteMineListing(const Config& config, const SftOptions& options);

}  // namespace kernelmill
