#include "tools/cli/command_table.h"

namespace kernelmill {

const std::vector<Command>& AllCommands() {
  static const std::vector<Command> commands = {
      DemoCommand(),     SftCommand(),    RftCommand(),        MineCommand(),   LockCommand(),
      GenerateCommand(), StepCommand(),   StatusCommand(),     PurgeCommand(),  MergeCommand(),
      AppendCommand(),   VerifyCommand(), WorkerCommand(),     ServeCommand(),  AnswerCommand(),
      SampleCommand(),   ScoreCommand(),  InspectCommand(),    TraceCommand(),  AuditCommand(),
      RejectsCommand(),  DiffCommand(),   ExportCommand(),     UploadCommand(), DownloadCommand(),
      ConfigCommand(),   HelpCommand(),   CompletionCommand(), ManCommand(),    SetupCommand(),
      TestCommand(),
  };
  return commands;
}

const Command* FindCommand(std::string_view name) {
  for (const Command& command : AllCommands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::string_view GroupTitle(CommandGroup group) {
  switch (group) {
    case CommandGroup::kBuild:
      return "Build a dataset";
    case CommandGroup::kAnswers:
      return "Native answers";
    case CommandGroup::kRead:
      return "Read and prove a dataset";
    case CommandGroup::kProgram:
      return "About this program";
  }
  return "";
}

const std::vector<RenamedWord>& RenamedWords() {
  static const std::vector<RenamedWord> words = {
      {"", "lower", "answer --generated"},
      {"answer", "--ways", "--variants"},
      {"verify", "--count", "--profile"},
      {"verify", "--fresh", "--no-cache"},
  };
  return words;
}

}  // namespace kernelmill
