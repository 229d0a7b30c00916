#include "stages/recipes/run_steps.h"

#include <algorithm>
#include <memory>
#include <set>

#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "stages/engine/run_status.h"
#include "stages/recipes/excluding_step.h"
#include "stages/recipes/remembering_step.h"
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

std::vector<std::string> NamesOfRun(const std::vector<StepSpec>& steps,
                                    const RunForecast& forecast) {
  std::vector<std::string> names;
  for (const StepSpec& step : steps) {
    if (IsRun(step, forecast)) names.emplace_back(step.name);
  }
  return names;
}

// Leaves a list for `status`, which does not know the configuration.
Status ListSteps(const Run& run, const std::vector<StepSpec>& steps, const RunForecast& forecast) {
  const std::string path = run.StatePath(std::string(kStepListName));
  KM_RETURN_IF_ERROR(MakeFolders(FolderOf(path)));
  return ReplaceFile(path, ToJson(NamesOfRun(steps, forecast)).Pretty());
}

// The error for a rank of a step that a run with these steps does not have.
Status NoSuchStep(std::string_view name, const std::vector<StepSpec>& steps,
                  const RunForecast& forecast) {
  const std::vector<std::string> names = NamesOfRun(steps, forecast);
  std::string text = "this run has no step " + std::string(name);
  const StepSpec* const known = FindStep(steps, name);
  if (known != nullptr && known->make == nullptr) {
    text = std::string(name) + " is done by the command that leads the run, and not by ranks";
  } else if (known != nullptr) {
    text += ", because " + WhyOff(*known, forecast);
  } else if (const std::string near = NearestWord(name, names); !near.empty()) {
    text += "; did you mean " + near + "?";
  }
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  return Status(ErrorCode::kUsage, text + " (its steps: " + all + ")");
}

// Makes the steps of a run one after the other.
class StepMaker {
 public:
  StepMaker(const Run& run, const std::vector<StepSpec>& steps, const Config& config,
            const ResolvedSources& sources, const OriginFilter& wanted,
            const ExcludedRecords& excluded, const std::string& child_program)
      : run_(run),
        steps_(steps),
        config_(config),
        sources_(sources),
        wanted_(wanted),
        excluded_(excluded),
        child_program_(child_program) {}

  // The previous step is destroyed only after this one is made, so that consecutive steps can share
  // data.
  Result<ReadyStep*> Make(const StepSpec& step) {
    StepContext context{
        .run = run_,
        .config = config_,
        .sources = sources_,
        .wanted = wanted_,
        .reads = {},
        .steps_up_to = [this](std::string_view last) { return StepsUpTo(steps_, ran_, last); },
        .child_program = child_program_,
        .indices = indices_};
    for (const std::string_view read : step.reads) {
      if (std::find(ran_.begin(), ran_.end(), read) != ran_.end()) context.reads.emplace_back(read);
    }
    KM_ASSIGN(ReadyStep next, step.make(context));
    const RunOptions& options = run_.options();
    if (step.remembered && !wanted_ && !options.outcomes.empty()) {
      KM_ASSIGN(next.step,
                RememberingStep::Around(std::move(next.step), options.outcomes, options.tool));
    }
    current_ = std::move(next);
    // Samples name the tasks that "supply" puts out, so "recall" is the first to leave one out.
    if (!excluded_.empty() && step.name != "supply") {
      current_.step = std::make_unique<ExcludingStep>(std::move(current_.step), excluded_,
                                                      config_.Value(kExcludeRecordsKey));
    }
    return &current_;
  }
  // Notes a step that has finished.
  void Finished(const StepSpec& step) { ran_.emplace_back(step.name); }

 private:
  const Run& run_;
  const std::vector<StepSpec>& steps_;
  const Config& config_;
  const ResolvedSources& sources_;
  const OriginFilter& wanted_;
  const ExcludedRecords& excluded_;
  const std::string& child_program_;
  std::vector<std::string> ran_;
  std::weak_ptr<IndexCache> indices_;
  ReadyStep current_;
};

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
  KM_ASSIGN(const ExcludedRecords excluded,
            ExcludedRecords::Of(config.Strings(kExcludeRecordsKey)));
  StepMaker maker(run, steps, config, sources, wanted, excluded, child_program);
  for (const StepSpec& step : steps) {
    if (!IsRun(step, forecast)) continue;
    KM_ASSIGN(ReadyStep* const ready, maker.Make(step));
    KM_RETURN_IF_ERROR(run.Do(*ready->step, ready->inputs, ready->merge).status());
    maker.Finished(step);
  }
  return Status::Ok();
}

Status RunShare(Run& run, const std::vector<StepSpec>& steps, const Config& config,
                const ResolvedSources& sources, std::string_view name, const Share& share,
                const std::string& child_program) {
  const RunForecast forecast = ForecastOf(config, sources);
  const StepSpec* const wanted = FindStep(steps, name);
  if (wanted == nullptr || !IsRun(*wanted, forecast)) return NoSuchStep(name, steps, forecast);
  const OriginFilter all_wanted;
  KM_ASSIGN(const ExcludedRecords excluded,
            ExcludedRecords::Of(config.Strings(kExcludeRecordsKey)));
  StepMaker maker(run, steps, config, sources, all_wanted, excluded, child_program);
  for (const StepSpec& step : steps) {
    if (step.name == name) break;
    if (!IsRun(step, forecast)) continue;
    KM_RETURN_IF_ERROR(run.Recall(step.name));
    maker.Finished(step);
  }
  KM_ASSIGN(ReadyStep* const ready, maker.Make(*wanted));
  return run.DoShare(*ready->step, share);
}

}  // namespace kernelmill
