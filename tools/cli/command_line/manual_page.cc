#include "tools/cli/command_line/manual_page.h"

#include <algorithm>

#include "tools/cli/command_line/option_facts.h"
#include "tools/cli/command_table.h"
#include "tools/cli/exit_codes.h"
#include "tools/cli/version.h"

namespace kernelmill {
namespace {

// Escapes text so that roff shows it unchanged, with hyphens that can be copied.
std::string Roff(std::string_view text) {
  std::string escaped;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) escaped += "\\&";
    line_starts = c == '\n';
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '`':
        escaped += "\\`";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '"':
        escaped += "\\(dq";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// Converts paragraphs, which are separated by empty lines.
std::string RoffParagraphs(std::string_view text) {
  std::string roff;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", start), text.size());
    roff += (start == 0 ? "" : ".PP\n") + Roff(text.substr(start, end - start)) + "\n";
    start = end + 2;
  }
  return roff;
}

std::string Tagged(const std::string& tag, const std::string& text) {
  return ".TP\n.B " + tag + "\n" + Roff(text) + "\n";
}

std::string OptionEntry(const OptionFacts& facts) {
  std::string names;
  for (const std::string& name : facts.names) names += (names.empty() ? "" : ", ") + Roff(name);
  const bool value = facts.takes_value && !facts.is_argument;
  std::string text = facts.explanation;
  if (!facts.default_value.empty()) text += " (default: " + facts.default_value + ")";
  if (text.empty() || text.back() != '.') text += '.';
  return ".TP\n\\fB" + names + "\\fR" + (value ? " \\fI" + Roff(facts.value) + "\\fR" : "") + "\n" +
         Roff(text) + "\n";
}

std::string CommandSection(const Command& command) {
  const DeclaredCommand declared = Declare(command);
  std::string text = ".SS " + Roff(command.name) + "\n";
  text += ".B kernelmill " + Roff(UsageOf(command, *declared.app)) + "\n.PP\n";
  text += Roff(command.summary) + ".\n.PP\n" + RoffParagraphs(command.description);
  for (const OptionFacts& facts : OptionsOf(*declared.app)) {
    if (facts.is_argument || !facts.group.empty()) text += OptionEntry(facts);
  }
  for (const Example& example : command.examples) {
    text += ".PP\n" + Roff(example.purpose) + "\n.PP\n.EX\n" +
            Roff("  kernelmill " + std::string(example.line)) + "\n.EE\n";
  }
  return text;
}

}  // namespace

std::string ManualPage() {
  std::string text =
      ".TH KERNELMILL 1 \"\" \"kernelmill " + std::string(ProgramVersion()) +
      "\" \"kernelmill\"\n"
      ".SH NAME\n"
      "kernelmill \\- training data for models that write native GPU kernels\n"
      ".SH SYNOPSIS\n"
      ".B kernelmill\n"
      ".I COMMAND\n"
      "[\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\n"
      "kernelmill makes training data for models that turn PyTorch modules into native CUDA and "
      "MUSA kernels.\n"
      "It needs no GPU.\n"
      "Results go to standard output, messages to standard error.\n";
  for (const CommandGroup group : {CommandGroup::kBuild, CommandGroup::kAnswers,
                                   CommandGroup::kRead, CommandGroup::kProgram}) {
    text += ".SH \"" + Roff(GroupTitle(group)) + "\"\n";
    for (const Command& command : AllCommands()) {
      if (command.group == group) text += CommandSection(command);
    }
  }
  text += ".SH EXIT STATUS\n";
  for (const ExitCodeMeaning& exit : kExitCodes) {
    text += Tagged(std::to_string(exit.code), std::string(exit.meaning));
  }
  text += ".SH ENVIRONMENT\n";
  text += Tagged("NO_COLOR", "When it is set and not empty, nothing is coloured.");
  text += Tagged("TERM", "When it is \"dumb\" or unset, nothing is coloured.");
  text += Tagged("PAGER",
                 "Shows the output of inspect on a terminal. When it is not set, less "
                 "does; \"cat\" or an empty value switches paging off.");
  text += ".SH FILES\n";
  text += Tagged(".cache",
                 "Below the checkout: fetched repositories, compiled extensions and "
                 "verdicts. It can be deleted at any time.");
  text += Tagged("out", "Below the working directory: the default place of datasets.");
  return text;
}

}  // namespace kernelmill
