// Writes the results of commands to standard output; every command prints with it. Each function
// returns kIo if the output is closed, and kInterrupted if a signal ends the wait for a slow
// reader.
#pragma once

#include <string>

#include "manifests/json.h"
#include "manifests/json_version.h"
#include "manifests/status.h"

namespace kernelmill {

// Writes text of unknown origin, made printable (manifests/printable.h).
Status Print(const std::string& text);
// Writes text that is printable already and may contain the colours of tools/cli/terminal.h.
Status PrintPrepared(const std::string& text);

// Writes one JSON object with kJsonVersion as its "version", indented.
Status PrintJson(Json document);
// The same on one line, for output of several objects.
Status PrintJsonLine(Json document);

}  // namespace kernelmill
