#include "stages/audit/append.h"

#include <memory>

#include "stages/engine/progress.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/rebuild/rebuild_arguments.h"

namespace kernelmill {
namespace {

struct Arguments {
  AppendRequest request;
  RebuildArguments rebuild;
};

Status RunAppend(const Arguments& arguments) {
  SetQuiet(arguments.rebuild.quiet);
  AppendRequest request = arguments.request;
  KM_ASSIGN(request.sources, arguments.rebuild.Sources());
  KM_ASSIGN(const BuiltDataset built, AppendSources(request, arguments.rebuild.Build()));
  return arguments.rebuild.Show(built);
}

}  // namespace

Command AppendCommand() {
  return {
      .name = "append",
      .group = CommandGroup::kBuild,
      .summary = "Add sources to a dataset",
      .description =
          "It does the run again over the sources of the dataset, at the commits that it names, "
          "and those of a configuration that sets `sources` alone. The other keys are those of the "
          "dataset. Near duplicates, limits and caps are decided for all of them together, so the "
          "result equals, byte for byte, one run that names all sources. What the steps made of "
          "the old sources is taken from .cache/outcomes as far as it is there, so only the new "
          "ones "
          "cost work. This needs the old sources too. A source that a purge has removed from the "
          "dataset, as FOLDER.removal.json says, is refused.",
      .examples = {{"append out/corpus more.yaml --output out/corpus2",
                    "Build out/corpus2 from the sources of out/corpus and of more.yaml."}},
      .declare = [](CLI::App& app) -> Action {
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("dataset", arguments->request.dataset, "The folder of the dataset")
            ->type_name(kFolder)
            ->required();
        app.add_option("configuration", arguments->request.configuration,
                       "A YAML file that sets `sources`, as one for `sft` does")
            ->type_name(kFile)
            ->required();
        arguments->rebuild.AddTo(app);
        return [arguments] { return RunAppend(*arguments); };
      },
  };
}

}  // namespace kernelmill
