#include "tools/cli/rebuild/rebuild_arguments.h"

#include "stages/engine/progress.h"
#include "stages/worker/sandbox.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {

void RebuildArguments::AddTo(CLI::App& app) {
  app.add_option("--output", build.output, "The folder of the new dataset")
      ->type_name(kFolder)
      ->required();
  app.add_option("--source", sources,
                 "Take the source with this origin from a path, because it cannot be fetched")
      ->type_name("ORIGIN=PATH")
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_flag("--quiet", quiet, "Show no progress");
  AddOutcomesOption(app, &build.outcomes);
  AddJobsOption(app, &build.jobs);
  AddJsonOption(app, &json);
}

Result<std::map<std::string, std::string>> RebuildArguments::Sources() const {
  return SourcesOf(sources);
}

BuildOptions RebuildArguments::Build() const {
  BuildOptions options = build;
  options.cache = CheckoutRoot() / ".cache" / "repositories";
  return options;
}

Status RebuildArguments::Show(const BuiltDataset& built) const {
  Say(built.summary.Text());
  if (const std::string warning = built.summary.Warning(); !warning.empty()) Warn(warning);
  if (!json) return Status::Ok();
  KM_ASSIGN(Json manifest, Json::Parse(built.manifest.Encode()));
  return PrintJson(std::move(manifest));
}

}  // namespace kernelmill
