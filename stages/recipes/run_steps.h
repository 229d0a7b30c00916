// Runs the steps of a recipe, one after the other.
#pragma once

#include <string>
#include <vector>

#include "stages/engine/step_spec.h"
#include "stages/sources/step_context.h"

namespace kernelmill {

// What a run of these sources has to do. `config` outlives it.
RunForecast ForecastOf(const Config& config, const ResolvedSources& sources);

// Why the run leaves the step out; empty where it runs.
std::string WhyOff(const StepSpec& step, const RunForecast& forecast);

// The configuration of `steps` with their defaults, but for `settings` ("key=value"): for programs
// that run steps without a configuration file.
Result<Config> DefaultConfiguration(const std::vector<StepSpec>& steps,
                                    const std::vector<std::string>& settings = {});

// Makes and does every step that is not switched off. `wanted` and `child_program`: StepContext.
Status RunSteps(Run& run, const std::vector<StepSpec>& steps, const Config& config,
                const ResolvedSources& sources, const OriginFilter& wanted = nullptr,
                const std::string& child_program = "/proc/self/exe");

}  // namespace kernelmill
