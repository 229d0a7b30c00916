#include <memory>

#include "tools/cli/command.h"
#include "tools/cli/command_line/shell_completion.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {

Command CompletionCommand() {
  return {
      .name = "completion",
      .group = CommandGroup::kProgram,
      .summary = "Print a script that completes commands and options in a shell",
      .description =
          "Source the script in the shell's start file, or write it to the folder in "
          "which the shell looks for completions.",
      .examples = {{"completion bash > ~/.local/share/bash-completion/completions/kernelmill",
                    "Install the completion for bash."},
                   {"completion zsh > \"${fpath[1]}/_kernelmill\"",
                    "Install the completion for zsh."},
                   {"completion fish > ~/.config/fish/completions/kernelmill.fish",
                    "Install the completion for fish."}},
      .declare = [](CLI::App& app) -> Action {
        const auto shell = std::make_shared<std::string>();
        app.add_option("shell", *shell, "The shell that completes")
            ->required()
            ->check(OneOf(CompletedShells()));
        return [shell] { return Print(CompletionScript(*shell)); };
      },
  };
}

}  // namespace kernelmill
