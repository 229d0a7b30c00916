// A command of the program as data: its name, purpose, options and action. The command line, the
// help, the shell completion and the manual page are all made from the table of these values
// (tools/cli/command_table.h), so none of them can fall behind the others.
//
// A command writes its result to standard output (tools/cli/output.h) and messages to standard
// error, and returns the Status that decides the exit code (tools/cli/exit_codes.h).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// The headings of the program's help, in order.
enum class CommandGroup { kBuild, kAnswers, kRead, kProgram };

// A working command line, without the program's name, and what it does.
struct Example {
  std::string_view line;
  std::string_view purpose;
};

// The work of a command whose options have been parsed.
using Action = std::function<Status()>;

struct Command {
  std::string_view name;
  CommandGroup group;
  std::string_view summary;  // One line for the list of commands, without a full stop.
  std::string_view
      description;  // For the command's own help: sentences, paragraphs between "\n\n".
  std::vector<Example> examples;
  // Declares the options in `app`. The Action owns what they are parsed into.
  Action (*declare)(CLI::App& app);
};

// The commands, one in each *_command.cc.
Command DemoCommand();
Command SftCommand();
Command RftCommand();
Command SampleCommand();
Command MineCommand();
Command LockCommand();
Command GenerateCommand();
Command StepCommand();
Command WorkerCommand();
Command StatusCommand();
Command VerifyCommand();
Command ServeCommand();
Command AnswerCommand();
Command ScoreCommand();
Command InspectCommand();
Command TraceCommand();
Command AuditCommand();
Command DiffCommand();
Command ExportCommand();
Command UploadCommand();
Command DownloadCommand();
Command RejectsCommand();
Command PurgeCommand();
Command MergeCommand();
Command AppendCommand();
Command ConfigCommand();
Command HelpCommand();
Command CompletionCommand();
Command ManCommand();
Command SetupCommand();
Command TestCommand();

}  // namespace kernelmill
