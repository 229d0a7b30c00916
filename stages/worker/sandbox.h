// Builds the bubblewrap command lines of Python programs that run foreign code, first of all of the
// worker (torch_worker.h): without home and network, with an empty /tmp as the only writable place,
// and with the interpreter, its packages and the worker's folder read-only. The sandbox of compilers
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

// The worker's folder, stages/worker, inside the sandbox.
inline constexpr char kWorkerInside[] = "/worker";

struct SandboxContents {
  // Added to the fixed environment; no variable is inherited.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> folders;  // Mounted read-only, at InsideWorker().
  std::string writable;              // A folder mounted for writing, at InsideWorker(); or empty.
  std::vector<std::string> devices;  // Nodes of a device, of which some may be missing.
  std::string program;               // The path inside of the Python program.
};

// argv of a program in a sandbox. kEnvironment when .venv, worker.py or bwrap is missing, kNotFound
// when a folder is.
Result<std::vector<std::string>> SandboxOf(const SandboxContents& contents);

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
