#include "tools/cli/command_line/option_facts.h"

#include <algorithm>
#include <cctype>

namespace kernelmill {
namespace {

std::string UpperCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// CLI11 writes a type and the descriptions of its validators as "TEXT:{cuda,musa}".
void ReadType(const std::string& type, OptionFacts* facts) {
  const std::size_t open = type.find('{');
  if (open == std::string::npos || type.back() != '}') {
    facts->value = type;
    return;
  }
  facts->value = type.substr(open);
  for (std::size_t start = open + 1; start < type.size();) {
    const std::size_t end = type.find_first_of(",}", start);
    facts->choices.push_back(type.substr(start, end - start));
    start = end + 1;
  }
}

OptionFacts FactsOf(const CLI::Option& option) {
  OptionFacts facts;
  facts.is_argument = !option.nonpositional();
  facts.is_required = option.get_required();
  facts.takes_value = option.get_items_expected_max() > 0;
  // A comma-separated list is given once.
  facts.may_repeat = option.get_items_expected_max() > 1 && option.get_delimiter() == '\0';
  facts.group = option.get_group();
  facts.explanation = option.get_description();
  if (facts.is_argument) {
    facts.names = {UpperCase(option.get_name(true, false))};
  } else {
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  }
  if (facts.takes_value) {
    ReadType(option.get_type_name(), &facts);
    facts.default_value = option.get_default_str();
  }
  return facts;
}

}  // namespace

std::string OptionFacts::Heading() const {
  std::string heading;
  for (const std::string& name : names) heading += (heading.empty() ? "" : ", ") + name;
  return is_argument || !takes_value ? heading : heading + " " + value;
}

DeclaredCommand Declare(const Command& command) {
  DeclaredCommand declared;
  declared.app = std::make_unique<CLI::App>(std::string(command.summary),
                                            "kernelmill " + std::string(command.name));
  declared.app->set_help_flag("-h,--help", "Show this help")->group("");
  declared.action = command.declare(*declared.app);
  return declared;
}

std::vector<OptionFacts> OptionsOf(const CLI::App& app) {
  std::vector<OptionFacts> all;
  for (const CLI::Option* option : app.get_options()) all.push_back(FactsOf(*option));
  std::stable_partition(all.begin(), all.end(),
                        [](const OptionFacts& facts) { return facts.is_argument; });
  return all;
}

std::string UsageOf(const Command& command, const CLI::App& app) {
  std::string usage = std::string(command.name) + " [OPTIONS]";
  for (const OptionFacts& facts : OptionsOf(app)) {
    if (!facts.is_argument) continue;
    const std::string name = facts.names.front() + (facts.may_repeat ? "…" : "");
    usage += facts.is_required ? " " + name : " [" + name + "]";
  }
  return usage;
}

}  // namespace kernelmill
