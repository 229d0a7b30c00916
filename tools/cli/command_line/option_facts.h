// Reads the options of a command from CLI11's data, for the help, the shell completion and the
// manual page.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/cli/command.h"

namespace kernelmill {

struct OptionFacts {
  std::vector<std::string> names;  // "--help", "-h", or the one name of an argument: "DATASET".
  bool is_argument = false;        // A positional argument.
  bool is_required = false;
  bool takes_value = false;  // False for a flag.
  bool may_repeat = false;
  std::string value;                 // "FOLDER", or "{cuda,musa}".
  std::vector<std::string> choices;  // "cuda", "musa"; empty if other values are allowed.
  std::string default_value;         // Empty if there is none to show.
  std::string group;
  std::string explanation;

  // "--limit N", "-h, --help" or "DATASET".
  std::string Heading() const;
};

// A command whose options are declared and can be parsed.
struct DeclaredCommand {
  std::unique_ptr<CLI::App> app;
  Action action;
};
DeclaredCommand Declare(const Command& command);

// The arguments first, then the options in the order of their declaration.
std::vector<OptionFacts> OptionsOf(const CLI::App& app);
// "sft [OPTIONS] CONFIGURATION"
std::string UsageOf(const Command& command, const CLI::App& app);

}  // namespace kernelmill
