// The meanings of the program's exit codes, for the help and the manual. The codes themselves come
// from ExitCodeOf (manifests/status.h).
#pragma once

#include <array>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

struct ExitCodeMeaning {
  ExitCode code;
  std::string_view meaning;
};

inline constexpr std::array<ExitCodeMeaning, 5> kExitCodes = {{
    {kExitDone,
     "The command has done its work. For verify the answer is correct, for audit the dataset is "
     "undamaged."},
    {kExitNegative,
     "The result is negative: verify found an answer that is not correct, audit found damage, diff "
     "found a difference, or a server refused requests of sample. Or a file that is there holds "
     "what "
     "it must not: malformed prompts, broken verdicts, a damaged dataset."},
    {kExitUsage,
     "The command was used wrongly: an unknown command, option or configuration key, a value "
     "that does not fit or is empty, an input that does not exist, a file in place of a folder, or "
     "an output that holds what is not of the command."},
    {kExitEnvironment,
     "The environment failed: the compiler, the sandbox, torch, the file system, or kernelmill "
     "itself."},
    {kExitTryAgain,
     "A temporary failure: a full disk, a busy output folder, a remote that does not answer, or "
     "Ctrl-C. Run the same command again; a command that makes a dataset continues where it "
     "stopped."},
}};

}  // namespace kernelmill
