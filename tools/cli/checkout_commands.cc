// The commands of the script ./kernelmill at the root of a checkout. They are in the table so that
// help, completion and the manual know them; the program itself cannot run them.
#include <memory>

#include "tools/cli/command.h"
#include "tools/cli/option_values.h"

namespace kernelmill {
namespace {

Action OnlyInTheScript(const std::string& name) {
  return [name] {
    return Status(ErrorCode::kUsage, name + ": run ./kernelmill " + name +
                                         " in the checkout; this is the program that it builds");
  };
}

}  // namespace

Command SetupCommand() {
  return {
      .name = "setup",
      .group = CommandGroup::kProgram,
      .summary = "Install what is missing in this checkout, and build the program",
      .description =
          "It installs the Debian packages of tools/setup/debian_packages and the "
          "pinned Python packages, and builds the program. Every other command does "
          "the same first when something is missing. When it is killed, the same "
          "command continues. Only the script ./kernelmill of a checkout has this "
          "command.",
      .examples = {{"setup", "Prepare the checkout without running anything."}},
      .declare = [](CLI::App&) { return OnlyInTheScript("setup"); },
  };
}

Command TestCommand() {
  return {
      .name = "test",
      .group = CommandGroup::kProgram,
      .summary = "Build and run the tests of this checkout",
      .description =
          "The last line is \"N passed, N failed\". Further words go to ctest, and the "
          "build with optimization alone is tested then. Only the script ./kernelmill "
          "of a checkout has this command.",
      .examples = {{"test --quick", "Run the tests that take seconds."},
                   {"test -R manifests", "Run the tests whose names contain \"manifests\"."}},
      .declare = [](CLI::App& app) -> Action {
        const auto flag = std::make_shared<bool>();
        const auto sanitizer = std::make_shared<std::string>();
        app.add_flag("--quick", *flag, "Leave out the sanitizers and the tests labelled \"slow\"");
        app.add_flag("--full", *flag, "Include the tests labelled \"long\"");
        app.add_option("--sanitize", *sanitizer, "Only the tests for this sanitizer, built with it")
            ->check(OneOf({"address", "thread"}));
        return [flag, sanitizer, refuse = OnlyInTheScript("test")] { return refuse(); };
      },
  };
}

}  // namespace kernelmill
