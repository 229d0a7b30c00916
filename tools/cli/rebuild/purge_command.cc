#include "stages/audit/purge.h"

#include <memory>

#include "stages/engine/progress.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/rebuild/rebuild_arguments.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string folder;
  PurgeRequest request;
  RebuildArguments rebuild;
};

Status RunPurge(const Arguments& arguments) {
  SetQuiet(arguments.rebuild.quiet);
  PurgeRequest request = arguments.request;
  if (request.empty()) {
    return Status(ErrorCode::kUsage,
                  "say what is to go: --repo URL, --licence SPDX, --task ID or --record ID");
  }
  KM_ASSIGN(request.sources, arguments.rebuild.Sources());
  const BuildOptions build = arguments.rebuild.Build();
  KM_ASSIGN(PurgeReport report, Purge(arguments.folder, request, build));
  if (arguments.rebuild.json) return PrintJson(std::move(report.certificate));
  return Print(build.output + ": the run was done again without what was to go; " +
               std::to_string(report.removed) + " records went\n" + report.path +
               " names them. Publish " + build.output + " in place of " + arguments.folder +
               ", and remove that folder and its quarantine. On this machine, .cache/outcomes and "
               ".cache/repositories may still hold what went.\n");
}

}  // namespace

Command PurgeCommand() {
  return {
      .name = "purge",
      .group = CommandGroup::kBuild,
      .summary = "Build a dataset again without a source, a licence, a task or a record",
      .description =
          "It does the run again from the configuration that the dataset publishes, without what "
          "is to go and at the commits that it names. Of an SFT dataset without a repository or a "
          "licence, the result equals, byte for byte, a run of this program that never named it. A "
          "task or record is left out with all that was made from it; the configuration then has a "
          "hash of its content_id in exclude_records. Of a dataset of samples, --repo and "
          "--licence leave out every task from there, also one that another source has too, with "
          "its samples. This needs the other sources, but not the one that goes; stored verdicts "
          "are used. A certificate beside the new dataset, OUTPUT.removal.json, lists every record "
          "that went.",
      .examples = {{"purge out/demo --repo https://example.org/a --output out/purged",
                    "Build out/purged, which has nothing of that repository."},
                   {"purge out/samples --task 3fa09c --output out/purged",
                    "Build out/purged without that task, and without its samples and rows."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("dataset", arguments->folder, "The folder of a dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("--repo", arguments->request.repositories,
                       "Leave out the source with this URL, as configuration.json names it")
            ->type_name("URL")
            ->type_size(1)
            ->allow_extra_args(false);
        app.add_option("--licence", arguments->request.licences,
                       "Leave out what may only be used under this licence")
            ->type_name("SPDX")
            ->type_size(1)
            ->allow_extra_args(false);
        app.add_option("--task", arguments->request.tasks,
                       "Leave out the task with this content_id, or with one that begins so")
            ->type_name("ID")
            ->type_size(1)
            ->allow_extra_args(false);
        app.add_option("--record", arguments->request.records,
                       "Leave out the record with this content_id, such as a kernel or a row")
            ->type_name("ID")
            ->type_size(1)
            ->allow_extra_args(false);
        app.add_option("--reason", arguments->request.reason, "Why, for the certificate")
            ->type_name("TEXT");
        arguments->rebuild.AddTo(app);
        return [arguments] { return RunPurge(*arguments); };
      },
  };
}

}  // namespace kernelmill
