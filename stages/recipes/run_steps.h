// Runs the steps of a recipe one after the other, and skips those that are switched off. Called by
// the recipes "sft" and "mine", and by the re-derivation of an audit through them; the dry run asks
// only what would run. A rank does its share of one of these steps.
#pragma once

#include <string>
#include <vector>

#include "stages/engine/step_context.h"
#include "stages/engine/step_spec.h"

namespace kernelmill {

// What a run over these sources has to do, as far as it is known beforehand. `config` must outlive
// the result.
RunForecast ForecastOf(const Config& config, const ResolvedSources& sources);

// Why the run skips the step; empty if the step runs.
std::string WhyOff(const StepSpec& step, const RunForecast& forecast);

// The default configuration of `steps`, changed by `settings` ("key=value"), for programs that run
// steps without a configuration file.
Result<Config> DefaultConfiguration(const std::vector<StepSpec>& steps,
                                    const std::vector<std::string>& settings = {});

// Makes and runs every step that is not switched off. `wanted` and `child_program` are members of
// StepContext.
Status RunSteps(Run& run, const std::vector<StepSpec>& steps, const Config& config,
                const ResolvedSources& sources, const OriginFilter& wanted = nullptr,
                const std::string& child_program = "/proc/self/exe");

// Of a rank (Run::Join()): does the share of the step `name`. kUsage if the recipe has no such step
// or it is switched off; kBusy if a step before it is not finished, or if it has no plan yet.
Status RunShare(Run& run, const std::vector<StepSpec>& steps, const Config& config,
                const ResolvedSources& sources, std::string_view name, const Share& share,
                const std::string& child_program = "/proc/self/exe");

}  // namespace kernelmill
