// A command of the program: its name, its options, and what it does.
//
// Results go to standard output (with --json as one JSON document), everything else to standard
// error. A command returns the Status that decides the exit code (manifests/status.h).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// Whole numbers; CLI11's own ranges say their ends in 300 digits.
inline const CLI::Range kPositive(std::int64_t{1}, std::numeric_limits<std::int64_t>::max(),
                                  "POSITIVE");
inline const CLI::Range kNonNegative(std::int64_t{0}, std::numeric_limits<std::int64_t>::max(),
                                     "NONNEGATIVE");

// Set by the command line to the chosen command's work; main runs it.
using Action = std::function<Status()>;

// Each adds one command to `app` and, when it is chosen, sets `action`.
void AddSftCommand(CLI::App& app, Action* action);
void AddMineCommand(CLI::App& app, Action* action);
void AddConfigCommand(CLI::App& app, Action* action);
void AddStatusCommand(CLI::App& app, Action* action);
void AddAuditCommand(CLI::App& app, Action* action);
void AddExportCommand(CLI::App& app, Action* action);
void AddInspectCommand(CLI::App& app, Action* action);
void AddTraceCommand(CLI::App& app, Action* action);
void AddVerifyCommand(CLI::App& app, Action* action);
void AddGenerateCommand(CLI::App& app, Action* action);
void AddLowerCommand(CLI::App& app, Action* action);
void AddAnswerCommand(CLI::App& app, Action* action);
void AddDemoCommand(CLI::App& app, Action* action);

// Writes one line, or a whole document, to standard output, made printable (manifests/printable.h);
// a closed pipe is kIo.
Status Print(const std::string& text);

}  // namespace kernelmill
