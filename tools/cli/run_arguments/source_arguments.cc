#include "tools/cli/run_arguments/source_arguments.h"

#include "tools/cli/option_values.h"

namespace kernelmill {

void SourceArguments::AddFetchesTo(CLI::App& app) {
  constexpr int kMostFetches = 64;
  app.add_option("--fetches", fetches, "Fetch at most this many repositories at a time")
      ->type_name(kNumber)
      ->check(WholeNumber(1, kMostFetches))
      ->capture_default_str()
      ->group(kHowToRun);
}

void SourceArguments::AddLockTo(CLI::App& app) {
  app.add_option("--lock", lock,
                 "Take the commits of this file, which `kernelmill lock` or another run wrote "
                 "(.run/sources.lock); it must have exactly the sources of the configuration")
      ->type_name(kFile)
      ->group(kHowToRun);
}

void SourceArguments::Apply(BuildOptions* options) const {
  options->fetches = fetches;
  options->lock = lock;
}

}  // namespace kernelmill
