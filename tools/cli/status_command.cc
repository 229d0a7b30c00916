#include <memory>

#include "stages/engine/run_status.h"
#include "stages/recipes/step_table.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

Status ShowStatus(const std::string& folder, bool json) {
  KM_ASSIGN(const RunStatus status, ReadRunStatus(folder, StepTable()));
  return json ? PrintJson(status.ToJson()) : Print(status.Text());
}

}  // namespace

Command StatusCommand() {
  return {
      .name = "status",
      .group = CommandGroup::kBuild,
      .summary = "Show the progress of the run in a folder",
      .description =
          "It reads only the folder, so it works while the run is in progress and after it was "
          "killed.",
      .examples = {{"status out/corpus", "Show the steps of a run, with their counts."}},
      .declare = [](CLI::App& app) -> Action {
        const auto folder = std::make_shared<std::string>();
        const auto json = std::make_shared<bool>(false);
        app.add_option("folder", *folder, "The output folder of a run")
            ->type_name(kFolder)
            ->required();
        AddJsonOption(app, json.get());
        return [=] { return ShowStatus(*folder, *json); };
      },
  };
}

}  // namespace kernelmill
