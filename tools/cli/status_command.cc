#include "stages/engine/run_status.h"
#include "stages/recipes/step_table.h"
#include "tools/cli/command.h"

namespace kernelmill {
namespace {

Status ShowStatus(const std::string& folder, bool json) {
  KM_ASSIGN(const RunStatus status, ReadRunStatus(folder, StepTable()));
  if (json) return Print(status.ToJson().Pretty());
  return Print(status.Text());
}

}  // namespace

void AddStatusCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand("status", "Say how far the run in a folder is");
  auto folder = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("folder", *folder, "The folder of a dataset")->required();
  command->add_flag("--json", *json, "One JSON document");
  command->callback([=] { *action = [=] { return ShowStatus(*folder, *json); }; });
}

}  // namespace kernelmill
