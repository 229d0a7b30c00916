// Builds the bubblewrap command line that runs the Python worker (torch_worker.h): without home and
// network, with an empty /tmp as the only writable place, and with the interpreter, its packages
// and the worker's folder read-only. The sandbox of compilers
// (stages/verify/build/compiler_sandbox.h) and others that need the checkout's folder use parts of
// it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

// The checkout whose .venv and stages/worker are used: the environment variable KERNELMILL_ROOT, or
// else the checkout in which this binary was built.
std::filesystem::path CheckoutRoot();

// The path of bubblewrap; kEnvironment when it is not installed.
Result<std::string> FindBubblewrap();
// Adds the read-only mounts that system programs need: /usr, the folders of the root that belong to
// it or link to it, and the linker's cache.
void AddSystemMounts(std::vector<std::string>* command);

// argv of the worker. `environment` is added to the fixed environment; no variable is inherited.
// `folders` are mounted read-only, at InsideWorker(). kEnvironment when .venv, worker.py or bwrap is
// missing, kNotFound when one of `folders` is.
Result<std::vector<std::string>> SandboxCommand(
    const std::vector<std::pair<std::string, std::string>>& environment,
    const std::vector<std::string>& folders = {});

// The path inside the sandbox of a mounted folder, or of a file below one. It is not the path
// outside, because each request hides what is below /tmp, where a checkout may be.
std::string InsideWorker(const std::filesystem::path& outside);

// The error for a machine that refuses namespaces, with advice. `reason` is the message of
// bubblewrap or the kernel.
Status NoSandbox(std::string_view reason);

}  // namespace kernelmill
