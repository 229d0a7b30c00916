#include "tools/cli/command_line/shell_completion.h"

#include "tools/cli/command_line/option_facts.h"
#include "tools/cli/command_table.h"
#include "tools/cli/configuration.h"
#include "tools/cli/option_values.h"

namespace kernelmill {
namespace {

// Quotes text for bash and zsh.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Quotes text for fish, where a backslash is special even between single quotes.
std::string FishQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return quoted + "'";
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const Command& command : AllCommands()) names.emplace_back(command.name);
  return names;
}

std::vector<std::string> KeyNames(std::string_view suffix) {
  std::vector<std::string> names;
  for (const ConfigKey& key : ConfigurationKeys()) names.push_back(key.name + std::string(suffix));
  return names;
}

// The possible values of an option; empty if they are paths or arbitrary.
std::vector<std::string> WordsFor(const OptionFacts& facts) {
  if (!facts.choices.empty()) return facts.choices;
  if (facts.value == kKeyName) return KeyNames("");
  if (facts.value == kSetting) return KeyNames("=");
  if (facts.value == kCommandName) return CommandNames();
  return {};
}

bool TakesPath(const OptionFacts& facts) { return facts.value == kFile || facts.value == kFolder; }

// The first clause of an explanation, which is enough next to a completion.
std::string Short(const std::string& explanation) {
  const std::size_t end = explanation.find_first_of(".;:");
  return explanation.substr(0, end);
}

// The bash statement that completes a value of `facts`.
std::string BashValue(const OptionFacts& facts) {
  const std::vector<std::string> words = WordsFor(facts);
  if (!words.empty()) return "_kernelmill_words " + Quoted(Joined(words));
  if (facts.value == kFolder) return "_kernelmill_paths -d";
  return TakesPath(facts) ? "_kernelmill_paths -f" : "COMPREPLY=()";
}

std::string BashScript() {
  std::string text = R"(# bash completion for kernelmill.
_kernelmill_words() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}

_kernelmill_paths() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

_kernelmill() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [[ $COMP_CWORD == 1 ]]; then
)";
  text += "    _kernelmill_words " + Quoted(Joined(CommandNames()) + " --help --version") + "\n";
  text += "    return\n  fi\n  case ${COMP_WORDS[1]}:$previous in\n";
  std::string options, arguments;
  for (const Command& command : AllCommands()) {
    const std::string name(command.name);
    const DeclaredCommand declared = Declare(command);
    std::vector<std::string> names;
    std::string argument;
    for (const OptionFacts& facts : OptionsOf(*declared.app)) {
      if (facts.is_argument) {
        if (argument.empty()) argument = BashValue(facts);
        continue;
      }
      names.insert(names.end(), facts.names.begin(), facts.names.end());
      if (!facts.takes_value) continue;
      for (const std::string& option : facts.names) {
        text += "    " + name + ":" + option + ") " + BashValue(facts) + "; return ;;\n";
      }
    }
    options += "    " + name + ":-*) _kernelmill_words " + Quoted(Joined(names)) + " ;;\n";
    if (!argument.empty()) arguments += "    " + name + ":*) " + argument + " ;;\n";
  }
  return text + "  esac\n  case ${COMP_WORDS[1]}:$current in\n" + options + arguments +
         "  esac\n}\ncomplete -F _kernelmill kernelmill\n";
}

// The action for a value in zsh's _arguments: ":FOLDER:_files -/".
std::string ZshValue(const OptionFacts& facts) {
  const std::string message = ":" + (facts.choices.empty() ? facts.value : "value") + ":";
  const std::vector<std::string> words = WordsFor(facts);
  if (!words.empty()) {
    const bool is_setting = facts.value == kSetting;
    return message +
           (is_setting ? "{compadd -S \"\" " + Joined(words) + "}" : "(" + Joined(words) + ")");
  }
  if (facts.value == kFolder) return message + "_files -/";
  return message + (TakesPath(facts) ? "_files" : " ");
}

// An explanation, escaped for the brackets of an _arguments specification.
std::string ZshText(const std::string& explanation) {
  std::string text;
  for (const char c : Short(explanation)) {
    text += (c == '[' || c == ']' || c == '\\' ? "\\" : "") + std::string(1, c);
  }
  return text;
}

std::string ZshScript() {
  std::string text = "#compdef kernelmill\n# zsh completion for kernelmill.\n_kernelmill() {\n";
  text += "  local -a commands\n  commands=(\n";
  for (const Command& command : AllCommands()) {
    text += "    " + Quoted(std::string(command.name) + ":" + std::string(command.summary)) + "\n";
  }
  text += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n";
  text += "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const Command& command : AllCommands()) {
    const DeclaredCommand declared = Declare(command);
    text += "    " + std::string(command.name) + ")\n      _arguments";
    for (const OptionFacts& facts : OptionsOf(*declared.app)) {
      if (facts.is_argument) {
        text += " \\\n        " + Quoted((facts.may_repeat ? "*" : "") + ZshValue(facts));
        continue;
      }
      for (const std::string& name : facts.names) {
        text += " \\\n        " +
                Quoted((facts.may_repeat ? "*" : "") + name + "[" + ZshText(facts.explanation) +
                       "]" + (facts.takes_value ? ZshValue(facts) : ""));
      }
    }
    text += "\n      ;;\n";
  }
  return text + "  esac\n}\n_kernelmill \"$@\"\n";
}

std::string FishScript() {
  std::string text = "# fish completion for kernelmill.\ncomplete -c kernelmill -f\n";
  for (const Command& command : AllCommands()) {
    text += "complete -c kernelmill -n __fish_use_subcommand -a " + std::string(command.name) +
            " -d " + FishQuoted(command.summary) + "\n";
  }
  for (const Command& command : AllCommands()) {
    const DeclaredCommand declared = Declare(command);
    const std::string start =
        "complete -c kernelmill -n " +
        FishQuoted("__fish_seen_subcommand_from " + std::string(command.name));
    for (const OptionFacts& facts : OptionsOf(*declared.app)) {
      std::string line = start;
      const std::vector<std::string> words = WordsFor(facts);
      if (!facts.is_argument) {
        for (const std::string& name : facts.names) {
          line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        line += " -d " + FishQuoted(Short(facts.explanation)) + (facts.takes_value ? " -r" : "");
      } else if (words.empty() && !TakesPath(facts)) {
        continue;
      }
      if (!words.empty()) line += " -a " + FishQuoted(Joined(words));
      if (TakesPath(facts)) line += " -F";
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace

const std::vector<std::string>& CompletedShells() {
  static const std::vector<std::string> shells = {"bash", "fish", "zsh"};
  return shells;
}

std::string CompletionScript(const std::string& shell) {
  if (shell == "bash") return BashScript();
  return shell == "fish" ? FishScript() : ZshScript();
}

}  // namespace kernelmill
