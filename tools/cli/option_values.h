// The values of options: validators whose errors say what is allowed, and the names of value types
// that help, shell completion and the manual read back from CLI11 (command_line/option_facts.h).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// Values of CLI::Option::type_name(), by which a shell completes the option.
inline constexpr char kFile[] = "FILE", kFolder[] = "FOLDER";
// A configuration key, and a setting of one: "mine.slice_lines=200".
inline constexpr char kKeyName[] = "KEY", kSetting[] = "KEY=VALUE";
// The name of a command.
inline constexpr char kCommandName[] = "COMMAND";
inline constexpr char kNumber[] = "N";

// Headings of options that the help of several commands has.
inline constexpr char kHowToRun[] = "How to run", kWhereToRun[] = "Where to run",
                      kOutputGroup[] = "Output";

// A whole number from `least` to `most`: "--jobs: must be a whole number of 1 or more, not 'x'".
CLI::Validator WholeNumber(std::int64_t least,
                           std::int64_t most = std::numeric_limits<std::int64_t>::max());
// A number from `least` to `most`, with or without decimals.
CLI::Validator NumberFrom(double least, double most);
// One of `words`; the error names the nearest of them.
CLI::Validator OneOf(const std::vector<std::string>& words);

// Declares --json.
void AddJsonOption(CLI::App& app, bool* json, const std::string& explanation = "");
// Declares --jobs N.
void AddJobsOption(CLI::App& app, int* jobs, const std::string& explanation = "");
// Adds --no-outcomes, which sets `*outcomes` (BuildOptions::outcomes) to false.
void AddOutcomesOption(CLI::App& app, bool* outcomes);

// Fills in the names of the options that the command line has, when it has been parsed: with a
// default, the value alone does not say.
using GivenOptions = std::set<std::string, std::less<>>;
void ListGiven(CLI::App& app, GivenOptions* given);

// Parses "ORIGIN=PATH" of the option --source. An origin may contain '='; a path is assumed not to.
Result<std::map<std::string, std::string>> SourcesOf(const std::vector<std::string>& arguments);

}  // namespace kernelmill
