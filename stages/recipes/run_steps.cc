#include "stages/recipes/run_steps.h"

#include <algorithm>
#include <set>

#include "manifests/commit_file.h"
#include "stages/engine/run_status.h"
#include "stages/recipes/step_table.h"

namespace kernelmill {
namespace {

// The names, among `ran`, of `last` and of the steps that contributed to its outputs.
std::vector<std::string> StepsUpTo(const std::vector<StepSpec>& steps,
                                   const std::vector<std::string>& ran, std::string_view last) {
  std::set<std::string_view> wanted = {last};
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (wanted.contains(step->name)) wanted.insert(step->reads.begin(), step->reads.end());
  }
  std::vector<std::string> found;
  std::copy_if(ran.begin(), ran.end(), std::back_inserter(found),
               [&](const std::string& name) { return wanted.contains(name); });
  return found;
}

bool IsRun(const StepSpec& step, const RunForecast& forecast) {
  return step.make != nullptr && WhyOff(step, forecast).empty();
}

// Leaves a list for `status`, which does not know the configuration.
Status ListSteps(const Run& run, const std::vector<StepSpec>& steps, const RunForecast& forecast) {
  Json::Array names;
  for (const StepSpec& step : steps) {
    if (IsRun(step, forecast)) names.push_back(step.name);
  }
  const std::string path = run.StatePath(std::string(kStepListName));
  KM_RETURN_IF_ERROR(MakeFolders(FolderOf(path)));
  return ReplaceFile(path, Json(std::move(names)).Pretty());
}

}  // namespace

RunForecast ForecastOf(const Config& config, const ResolvedSources& sources) {
  return {.config = config,
          .repositories = static_cast<std::int64_t>(sources.repositories.size()),
          .task_files = static_cast<std::int64_t>(sources.tasks.size())};
}

Result<Config> DefaultConfiguration(const std::vector<StepSpec>& steps,
                                    const std::vector<std::string>& settings) {
  return Config::Parse(KeysOf(steps), "{}", "the default configuration", settings);
}

std::string WhyOff(const StepSpec& step, const RunForecast& forecast) {
  return step.off == nullptr ? "" : step.off(forecast);
}

Status RunSteps(Run& run, const std::vector<StepSpec>& steps, const Config& config,
                const ResolvedSources& sources, const OriginFilter& wanted,
                const std::string& child_program) {
  const RunForecast forecast = ForecastOf(config, sources);
  KM_RETURN_IF_ERROR(ListSteps(run, steps, forecast));
  std::vector<std::string> ran;
  std::weak_ptr<IndexCache> indices;
  ReadyStep current;
  for (const StepSpec& step : steps) {
    if (!IsRun(step, forecast)) continue;
    StepContext context{
        .run = run,
        .config = config,
        .sources = sources,
        .wanted = wanted,
        .reads = {},
        .steps_up_to = [&](std::string_view last) { return StepsUpTo(steps, ran, last); },
        .child_program = child_program,
        .indices = indices};
    for (const std::string_view read : step.reads) {
      if (std::find(ran.begin(), ran.end(), read) != ran.end()) context.reads.emplace_back(read);
    }
    // The previous step is destroyed only after this one is made, so that consecutive steps can
    // share data.
    KM_ASSIGN(ReadyStep next, step.make(context));
    current = std::move(next);
    KM_RETURN_IF_ERROR(run.Do(*current.step, current.inputs, current.merge).status());
    ran.emplace_back(step.name);
  }
  return Status::Ok();
}

}  // namespace kernelmill
