#include "tools/cli/command.h"
#include "tools/cli/command_line/manual_page.h"
#include "tools/cli/output.h"

namespace kernelmill {

Command ManCommand() {
  return {
      .name = "man",
      .group = CommandGroup::kProgram,
      .summary = "Print the manual page",
      .description = "The page is kernelmill(1) in roff, with every command and option.",
      .examples = {{"man | man -l -", "Read the manual page."},
                   {"man > ~/.local/share/man/man1/kernelmill.1", "Install the manual page."}},
      .declare = [](CLI::App&) -> Action { return [] { return Print(ManualPage()); }; },
  };
}

}  // namespace kernelmill
