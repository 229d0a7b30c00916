// What options take: validators whose errors say what fits, and the kinds of values that help,
// shell completion and the manual read back from CLI11 (command_line/option_facts.h).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kernelmill {

// CLI::Option::type_name() of values that a shell can complete.
inline constexpr char kFile[] = "FILE", kFolder[] = "FOLDER";
// A configuration key, and a setting of one: "mine.slice_lines=200".
inline constexpr char kKeyName[] = "KEY", kSetting[] = "KEY=VALUE";
// The name of a command.
inline constexpr char kCommandName[] = "COMMAND";
inline constexpr char kNumber[] = "N";

// The headings of options in a command's help, besides those of its own.
inline constexpr char kHowToRun[] = "How to run", kOutputGroup[] = "Output";

// A whole number from `least` to `most`: "--jobs: must be a whole number of 1 or more, not 'x'".
CLI::Validator WholeNumber(std::int64_t least,
                           std::int64_t most = std::numeric_limits<std::int64_t>::max());
// One of `words`; the error names the nearest of them.
CLI::Validator OneOf(const std::vector<std::string>& words);

// --json.
void AddJsonOption(CLI::App& app, bool* json, const std::string& explanation = "");
// --jobs N.
void AddJobsOption(CLI::App& app, int* jobs, const std::string& explanation = "");

}  // namespace kernelmill
