#include "stages/audit/trace.h"
#include "tools/cli/command.h"

namespace kernelmill {
namespace {

Status RunTrace(const std::string& folder, const std::string& id, bool json) {
  KM_ASSIGN(DatasetReader dataset, DatasetReader::Open(folder));
  KM_ASSIGN(const Digest content_id, dataset.Resolve(id));
  KM_ASSIGN(const Ancestry ancestry, Trace(&dataset, content_id));
  return Print(json ? ancestry.ToJson().Pretty() : ancestry.Text());
}

}  // namespace

void AddTraceCommand(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("trace", "Show what a record was made from, to commit and line");
  auto folder = std::make_shared<std::string>();
  auto id = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("dataset", *folder, "The folder of a dataset")->required();
  command->add_option("id", *id, "A content_id, or as many of its first digits as make it unique")
      ->required();
  command->add_flag("--json", *json, "One JSON document");
  command->callback([=] { *action = [=] { return RunTrace(*folder, *id, *json); }; });
}

}  // namespace kernelmill
