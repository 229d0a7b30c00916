#include "stages/audit/trace.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

Status RunTrace(const std::string& folder, const std::string& id, bool json) {
  KM_ASSIGN(DatasetReader dataset, DatasetReader::Open(folder));
  KM_ASSIGN(const Digest content_id, dataset.Resolve(id));
  KM_ASSIGN(Ancestry ancestry, Trace(&dataset, content_id));
  KM_RETURN_IF_ERROR(FindPlaces(folder, &ancestry));
  return json ? PrintJson(ancestry.ToJson()) : Print(ancestry.Text());
}

}  // namespace

Command TraceCommand() {
  return {
      .name = "trace",
      .group = CommandGroup::kRead,
      .summary = "Show what a record was made from, to commit and line",
      .description =
          "The ancestry of a record: every step that worked on it, and the repository, "
          "commit, file and lines, the seed, or the line of a file of samples, that it started "
          "from.",
      .examples = {{"trace out/demo 1f3a", "Trace the record whose id starts with 1f3a."}},
      .declare = [](CLI::App& app) -> Action {
        const auto folder = std::make_shared<std::string>();
        const auto id = std::make_shared<std::string>();
        const auto json = std::make_shared<bool>(false);
        app.add_option("dataset", *folder, "The folder of a dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("id", *id, "The content_id of a record, or a unique prefix of it")
            ->type_name("ID")
            ->required();
        AddJsonOption(app, json.get());
        return [=] { return RunTrace(*folder, *id, *json); };
      },
  };
}

}  // namespace kernelmill
