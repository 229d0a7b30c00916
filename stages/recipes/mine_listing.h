// Runs the recipe "mine" for the command `mine`: the mining steps of "sft" alone. Writes their
// outputs (module candidates, kernels, rejects and a summary) as text files for people to read into
// the run's output folder.
#pragma once

#include "manifests/config.h"
#include "manifests/json.h"
#include "stages/recipes/sft_pipeline.h"

namespace kernelmill {

// Mines and samples into `options.output`, and writes there, one JSON object per line:
//   candidates.jsonl  the modules that "admit" would try (corpora/records/mined_module.h),
//                     ordered by content
//   kernels.jsonl     the records of native kernels; empty when `mine.kernels` is off
//   ports.jsonl       the records of kernels for two platforms, likewise
//   rejects.jsonl     {"step", "reason", "detail", "origins"} of what mining rejected
// and mining.json, which is also returned: {"counts": {step: counts}, "candidates", "kernels",
// "ports", "rejects", "sources"}. A stopped run resumes, and `sft` with the same folder and
// configuration continues from a finished one. kExists if the folder holds a finished dataset.
Result<Json> WriteMineListing(const Config& config, const BuildOptions& options);

}  // namespace kernelmill
