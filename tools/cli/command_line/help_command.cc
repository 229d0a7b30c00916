#include <unistd.h>

#include <memory>

#include "tools/cli/command_line/command_line.h"
#include "tools/cli/command_line/help_text.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {

Command HelpCommand() {
  return {
      .name = "help",
      .group = CommandGroup::kProgram,
      .summary = "Show what a command does, with its options and examples",
      .description =
          "Without a command it lists all commands. `kernelmill COMMAND --help` shows "
          "the same text.",
      .examples = {{"help verify", "Show the options of verify."}},
      .declare = [](CLI::App& app) -> Action {
        const auto name = std::make_shared<std::string>();
        app.add_option("command", *name, "The command to describe")->type_name(kCommandName);
        return [name]() -> Status {
          // Parsed like the option --help, so that both print the same, also for unknown commands.
          std::vector<std::string> words = {"--help"};
          if (!name->empty()) words.insert(words.begin(), *name);
          KM_ASSIGN(const Action show, ReadCommandLine(words));
          return show();
        };
      },
  };
}

}  // namespace kernelmill
