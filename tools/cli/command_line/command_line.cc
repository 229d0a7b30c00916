#include "tools/cli/command_line/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "manifests/config.h"
#include "tools/cli/command_line/help_text.h"
#include "tools/cli/command_line/option_facts.h"
#include "tools/cli/command_table.h"
#include "tools/cli/output.h"
#include "tools/cli/pager.h"
#include "tools/cli/version.h"

namespace kernelmill {
namespace {

Action Showing(std::string (*text)(const Terminal&)) {
  return [text] { return PrintPrepared(text(Terminal::Of(STDOUT_FILENO))); };
}

// "unknown command 'verfy'; did you mean 'verify'?"
std::string Unknown(const std::string& what, const std::string& word,
                    const std::vector<std::string>& known, const std::string& otherwise) {
  const std::string nearest = NearestWord(word, known);
  return "unknown " + what + " '" + word + "'; " +
         (nearest.empty() ? otherwise : "did you mean '" + nearest + "'?");
}

// The new name of a renamed command, or of a renamed option of `command`; otherwise empty.
std::string NewNameOf(std::string_view command, std::string_view word) {
  for (const RenamedWord& renamed : RenamedWords()) {
    if (renamed.command == command && renamed.old_name == word) {
      return std::string(renamed.new_name);
    }
  }
  return "";
}

Status UnknownCommand(const std::string& word) {
  const std::string renamed = NewNameOf("", word);
  if (!renamed.empty()) {
    return Status(ErrorCode::kUsage, "the command '" + word + "' is now '" + renamed + "'");
  }
  std::vector<std::string> known;
  for (const Command& command : AllCommands()) known.emplace_back(command.name);
  return Status(ErrorCode::kUsage,
                Unknown("command", word, known, "`kernelmill --help` lists the commands"));
}

// The error for words that no option or argument of the command takes.
Status UnexpectedWord(const Command& command, const CLI::App& app,
                      const std::vector<std::string>& words) {
  const std::string name(command.name);
  const auto option = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return word.size() > 1 && word[0] == '-';
  });
  if (option == words.end()) {
    return Status(ErrorCode::kUsage, name + ": unexpected argument '" + words.front() +
                                         "'; `kernelmill " + name + " --help` shows the usage");
  }
  const std::string word = option->substr(0, option->find('='));
  const std::string renamed = NewNameOf(command.name, word);
  if (!renamed.empty()) {
    return Status(ErrorCode::kUsage, name + ": the option " + word + " is now " + renamed);
  }
  std::vector<std::string> known;
  for (const OptionFacts& facts : OptionsOf(app)) {
    if (!facts.is_argument) known.insert(known.end(), facts.names.begin(), facts.names.end());
  }
  return Status(
      ErrorCode::kUsage,
      name + ": " +
          Unknown("option", word, known, "`kernelmill " + name + " --help` lists the options"));
}

// The message of a CLI11 error, rewritten if it is not clear.
std::string Explained(const CLI::ParseError& error) {
  std::string text = error.what();
  // "--output: 1 required FOLDER missing"
  const std::size_t required = text.find(": 1 required ");
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr &&
      required != std::string::npos) {
    std::string value = text.substr(required + std::string(": 1 required ").size());
    value = value.substr(0, value.rfind(" missing"));
    return text.substr(0, required) + " needs a value: " + value;
  }
  return text;
}

// Where a script's variable is not set, it gives an empty value. None has a meaning: an empty path
// would be another one, such as the root or a default.
Status CheckNotEmpty(const Command& command, const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (option->get_items_expected_max() == 0 ||
        std::find(values.begin(), values.end(), "") == values.end()) {
      continue;
    }
    return Status(ErrorCode::kUsage,
                  std::string(command.name) + ": " + option->get_name() + " is empty");
  }
  return Status::Ok();
}

Result<Action> ReadCommand(const Command& command, std::vector<std::string> words) {
  DeclaredCommand declared = Declare(command);
  try {
    // CLI11 expects the words in reverse order.
    std::reverse(words.begin(), words.end());
    declared.app->parse(words);
  } catch (const CLI::CallForHelp&) {
    return Action(
        [&command] { return PrintPrepared(CommandHelp(command, Terminal::Of(STDOUT_FILENO))); });
  } catch (const CLI::ParseError& error) {
    // If an argument is missing and an option is misspelt, the option is the likely cause.
    const std::vector<std::string> unexpected = declared.app->remaining();
    if (!unexpected.empty()) return UnexpectedWord(command, *declared.app, unexpected);
    return Status(ErrorCode::kUsage, std::string(command.name) + ": " + Explained(error) +
                                         "; `kernelmill " + std::string(command.name) +
                                         " --help` shows the usage");
  }
  KM_RETURN_IF_ERROR(CheckNotEmpty(command, *declared.app));
  return std::move(declared.action);
}

}  // namespace

Result<Action> ReadCommandLine(const std::vector<std::string>& words) {
  if (words.empty()) {
    return Status(ErrorCode::kUsage,
                  "no command was given; `kernelmill --help` lists the commands");
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "-h") return Showing(TopHelp);
  if (first == "--version") return Action([] { return Print(VersionText() + "\n"); });
  if (first.starts_with("-")) {
    return Status(ErrorCode::kUsage,
                  Unknown("option", first, {"--help", "--version"}, "a command comes first"));
  }
  const Command* const command = FindCommand(first);
  if (command == nullptr) return UnknownCommand(first);
  return ReadCommand(*command, {words.begin() + 1, words.end()});
}

}  // namespace kernelmill
