#include "tools/cli/option_values.h"

#include <charconv>
#include <cstdio>
#include <string_view>

#include "manifests/config.h"

namespace kernelmill {

CLI::Validator WholeNumber(std::int64_t least, std::int64_t most) {
  const auto check = [least, most](std::string& text) -> std::string {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && read == end && number >= least && number <= most) return "";
    const bool open = most == std::numeric_limits<std::int64_t>::max();
    return "must be a whole number " +
           (open ? "of " + std::to_string(least) + " or more"
                 : "from " + std::to_string(least) + " to " + std::to_string(most)) +
           ", not '" + text + "'";
  };
  return CLI::Validator(check, "");
}

CLI::Validator NumberFrom(double least, double most) {
  const auto check = [least, most](std::string& text) -> std::string {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && read == end && number >= least && number <= most) return "";
    char message[64];
    std::snprintf(message, sizeof message, "must be a number from %g to %g, not '", least, most);
    return message + text + "'";
  };
  return CLI::Validator(check, "");
}

CLI::Validator OneOf(const std::vector<std::string>& words) {
  std::string set;
  for (const std::string& word : words) set += (set.empty() ? "" : ",") + word;
  const auto check = [words](std::string& text) -> std::string {
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == text) return "";
      list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    }
    const std::string nearest = NearestWord(text, words);
    return "must be " + list + ", not '" + text + "'" +
           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
  };
  return CLI::Validator(check, "{" + set + "}");
}

void AddJsonOption(CLI::App& app, bool* json, const std::string& explanation) {
  app.add_flag("--json", *json,
               explanation.empty() ? "Print one JSON document on standard output" : explanation)
      ->group(kOutputGroup);
}

void AddOutcomesOption(CLI::App& app, bool* outcomes) {
  app.add_flag_callback(
         "--no-outcomes", [outcomes] { *outcomes = false; },
         "Do the work of every step again, although .cache/outcomes has its outcomes from an "
         "earlier run; verdicts are still taken from .cache/verdicts")
      ->group(kHowToRun);
}

void AddJobsOption(CLI::App& app, int* jobs, const std::string& explanation) {
  app.add_option(
         "--jobs", *jobs,
         explanation.empty() ? "Use this many threads; by default one per processor" : explanation)
      ->type_name(kNumber)
      ->check(WholeNumber(1, 4096))
      ->group(kHowToRun);
}

void ListGiven(CLI::App& app, GivenOptions* given) {
  app.callback([&app, given] {
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() > 0) given->insert(option->get_name());
    }
  });
}

Result<std::map<std::string, std::string>> SourcesOf(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> sources;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return Status(ErrorCode::kUsage, "--source " + argument + ": must have the form ORIGIN=PATH");
    }
    sources[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  return sources;
}

}  // namespace kernelmill
