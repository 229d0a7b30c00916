// The bubblewrap command line under which the Python worker runs: no home, no network, nothing to
// write to but an empty /tmp; the interpreter, its packages and the worker's own folder to read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// The checkout whose .venv and stages/worker are used: the environment variable KERNELMILL_ROOT,
// or where this binary was built.
std::filesystem::path CheckoutRoot();

// Where bubblewrap is; kNotFound when it is not installed.
Result<std::string> FindBubblewrap();
// Adds to a bubblewrap command line what programs of the system need to run: /usr, the folders of
// the root that link or belong to it, the linker's cache. All of it read-only.
void AddSystemMounts(std::vector<std::string>* command);

// argv of the worker. `environment` is added to the fixed one; nothing else is inherited.
// `folders` are seen inside, read-only, under the same names. kNotFound when .venv, worker.py,
// bwrap or one of `folders` is missing.
Result<std::vector<std::string>> SandboxCommand(
    const std::vector<std::pair<std::string, std::string>>& environment,
    const std::vector<std::string>& folders = {});

// The error for a machine that refuses the namespaces, with what to do about it. `reason` is what
// bubblewrap or the kernel said.
Status NoSandbox(std::string_view reason);

}  // namespace kernelmill
