#include "tools/cli/command_line/help_text.h"

#include <algorithm>

#include "tools/cli/command_line/option_facts.h"
#include "tools/cli/command_table.h"
#include "tools/cli/exit_codes.h"
#include "tools/cli/text_layout.h"

namespace kernelmill {
namespace {

constexpr std::size_t kWidestText = 100, kIndent = 2;

std::size_t ColumnsFor(const Terminal& terminal) { return std::min(terminal.columns, kWidestText); }

// "  sft    Build an SFT dataset". A name that is longer than its column gets its own line.
std::string Entry(const std::string& name, const std::string& text, std::size_t column,
                  const Terminal& terminal) {
  std::string entry(kIndent, ' ');
  entry += terminal.Painted(Ink::kHeading, name);
  const std::string laid_out = Paragraphs(text, ColumnsFor(terminal), column);
  const std::size_t used = kIndent + ColumnsOf(name);
  if (laid_out.empty() || used + 2 > column) return entry + "\n" + laid_out;
  return entry + laid_out.substr(used);
}

std::string Heading(std::string_view title, const Terminal& terminal) {
  return "\n" + terminal.Painted(Ink::kHeading, std::string(title) + ":") + "\n";
}

std::string OptionText(const OptionFacts& facts) {
  std::string text = facts.explanation;
  if (!facts.default_value.empty()) text += " (default: " + facts.default_value + ")";
  if (facts.may_repeat && !facts.is_argument) text += "; may be given more than once";
  return text;
}

std::string ExamplesText(const std::vector<Example>& examples, const Terminal& terminal) {
  std::string text;
  for (const Example& example : examples) {
    text += "  kernelmill " + std::string(example.line) + "\n" +
            Paragraphs(example.purpose, ColumnsFor(terminal), 6);
  }
  return text;
}

}  // namespace

std::string TopHelp(const Terminal& terminal) {
  constexpr std::size_t kNameColumn = 14, kCodeColumn = 6;
  std::string text = Paragraphs(
      "kernelmill makes training data for models that turn PyTorch modules into native CUDA and "
      "MUSA kernels. It needs no GPU.",
      ColumnsFor(terminal));
  text += "\nUsage: kernelmill COMMAND [OPTIONS]\n";
  for (const CommandGroup group : {CommandGroup::kBuild, CommandGroup::kAnswers,
                                   CommandGroup::kRead, CommandGroup::kProgram}) {
    text += Heading(GroupTitle(group), terminal);
    for (const Command& command : AllCommands()) {
      if (command.group != group) continue;
      text += Entry(std::string(command.name), std::string(command.summary), kNameColumn, terminal);
    }
  }
  text += Heading("Options", terminal);
  text += Entry("-h, --help", "Show this help, or the help of the command before it", kNameColumn,
                terminal);
  text += Entry("--version", "Show the version and the identity of torch, program and worker",
                kNameColumn, terminal);
  text += Heading("First steps", terminal);
  text += ExamplesText({{"demo", "Build a small dataset from real packages and audit it."},
                        {"help verify", "Show what a command does, with examples."},
                        {"config answer", "Explain the configuration keys of answer."}},
                       terminal);
  text += Heading("Exit codes", terminal);
  for (const ExitCodeMeaning& exit : kExitCodes) {
    text += Entry(std::to_string(exit.code), std::string(exit.meaning), kCodeColumn, terminal);
  }
  return text;
}

std::string CommandHelp(const Command& command, const Terminal& terminal) {
  constexpr std::size_t kOptionColumn = 26;
  const DeclaredCommand declared = Declare(command);
  const std::vector<OptionFacts> options = OptionsOf(*declared.app);
  const std::string name = "kernelmill " + std::string(command.name);
  const std::string title =
      Paragraphs(name + ": " + std::string(command.summary), ColumnsFor(terminal));
  std::string text = terminal.Painted(Ink::kHeading, name) + title.substr(name.size()) +
                     "\nUsage: kernelmill " + UsageOf(command, *declared.app) + "\n\n" +
                     Paragraphs(command.description, ColumnsFor(terminal));
  std::vector<std::string> groups;
  for (const OptionFacts& option : options) {
    const std::string group = option.is_argument ? "Arguments" : option.group;
    if (group.empty() || std::find(groups.begin(), groups.end(), group) != groups.end()) continue;
    groups.push_back(group);
    text += Heading(group, terminal);
    for (const OptionFacts& other : options) {
      if ((other.is_argument ? "Arguments" : other.group) != group) continue;
      text += Entry(other.Heading(), OptionText(other), kOptionColumn, terminal);
    }
  }
  if (!command.examples.empty()) {
    text += Heading(command.examples.size() == 1 ? "Example" : "Examples", terminal);
    text += ExamplesText(command.examples, terminal);
  }
  return text;
}

}  // namespace kernelmill
