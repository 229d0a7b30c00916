// Writes verdicts.jsonl, measurements.jsonl and scores.json of an RFT dataset, from the finished
// steps "join" and "verify" of a run.
#pragma once

#include <cstdint>
#include <string>

#include "stages/engine/run.h"
#include "stages/samples/run_tasks.h"
#include "stages/samples/sample_measurements.h"
#include "stages/scores/verdict_file.h"

namespace kernelmill {

// Writes verdicts.jsonl to `path`: a line for each sample, in the order of the keys of "join", and
// behind them one for each input that "join" rejected.
Status WriteSampleVerdicts(const Run& run, const std::string& path);

// Writes measurements.jsonl beside the verdicts at `verdicts`, to `path`: the measurements of the
// samples that have one, in the order of the verdicts. Returns their number.
Result<std::int64_t> WriteSampleMeasurements(const Run& run, const SampleMeasurements& measurements,
                                             const std::string& verdicts, const std::string& path);

// The samples of the lines at `path`, to be scored.
Result<VerdictSamples> ReadSampleVerdicts(const std::string& path, const RunTasks& tasks);

}  // namespace kernelmill
