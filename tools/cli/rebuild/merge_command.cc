#include "stages/audit/merge.h"

#include <memory>

#include "manifests/printable.h"
#include "stages/engine/progress.h"
#include "stages/worker/sandbox.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

struct Arguments {
  MergeRequest request;
  std::vector<std::string> sources;
  BuildOptions build;
  bool quiet = false;
  bool json = false;
};

Status RunMerge(const Arguments& arguments) {
  SetQuiet(arguments.quiet);
  MergeRequest request = arguments.request;
  KM_ASSIGN(request.sources, SourcesOf(arguments.sources));
  BuildOptions build = arguments.build;
  build.cache = CheckoutRoot() / ".cache" / "repositories";
  KM_ASSIGN(const MergeReport report, MergeDatasets(request, build));
  for (const std::string& url : report.removed) {
    Say("left out, because a purge has removed it from one of the datasets: " + PrintableLine(url));
  }
  Say(report.built.summary.Text());
  if (const std::string warning = report.built.summary.Warning(); !warning.empty()) Warn(warning);
  if (!arguments.json) return Status::Ok();
  KM_ASSIGN(Json manifest, Json::Parse(report.built.manifest.Encode()));
  return PrintJson(std::move(manifest));
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
        app.add_option("--output", arguments->build.output, "The folder of the new dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("--source", arguments->sources,
                       "Take the source with this origin from a path, because it cannot be fetched")
            ->type_name("ORIGIN=PATH")
            ->type_size(1)
            ->allow_extra_args(false);
        app.add_flag("--quiet", arguments->quiet, "Show no progress");
        AddOutcomesOption(app, &arguments->build.outcomes);
        AddJobsOption(app, &arguments->build.jobs);
        AddJsonOption(app, &arguments->json);
        return [arguments] { return RunMerge(*arguments); };
      },
  };
}

}  // namespace kernelmill
