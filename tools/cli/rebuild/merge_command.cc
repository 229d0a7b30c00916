#include "stages/audit/merge.h"

#include <memory>

#include "manifests/printable.h"
#include "stages/engine/progress.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/rebuild/rebuild_arguments.h"

namespace kernelmill {
namespace {

struct Arguments {
  MergeRequest request;
  RebuildArguments rebuild;
};

Status RunMerge(const Arguments& arguments) {
  SetQuiet(arguments.rebuild.quiet);
  MergeRequest request = arguments.request;
  KM_ASSIGN(request.sources, arguments.rebuild.Sources());
  KM_ASSIGN(const MergeReport report, MergeDatasets(request, arguments.rebuild.Build()));
  for (const std::string& url : report.removed) {
    Say("left out, because a purge has removed it from one of the datasets: " + PrintableLine(url));
  }
  return arguments.rebuild.Show(report.built);
}

}  // namespace

Command MergeCommand() {
  return {
      .name = "merge",
      .group = CommandGroup::kBuild,
      .summary = "Join two datasets into one",
      .description =
          "It does the run again over the sources of both, at the commits that they name, so that "
          "near duplicates, limits, caps, exclude_sources and exclude_records are decided for all "
          "of them together; equal records are one. The result equals, byte for byte, one run that "
          "names all sources: neither the order of the datasets nor the pairing of several "
          "matters. This needs the sources; stored verdicts are used. The datasets must be of one "
          "build of kernelmill, and their configurations may differ only in sources, exclusions "
          "and partitions. What a purge has removed from one of them, as FOLDER.removal.json says, "
          "is not taken from the other.",
      .examples = {{"merge out/vision out/language --output out/both",
                    "Build out/both from the sources of both datasets."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("a", arguments->request.a, "The folder of a dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("b", arguments->request.b, "The folder of another one")
            ->type_name(kFolder)
            ->required();
        arguments->rebuild.AddTo(app);
        return [arguments] { return RunMerge(*arguments); };
      },
  };
}

}  // namespace kernelmill
