#include "stages/worker/sandbox.h"

#include <cstdlib>
#include <fstream>

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// The folders of the Python environment and of others inside the sandbox.
constexpr char kVenvInside[] = "/venv";
constexpr char kMountedInside[] = "/mounted";
// libc reads the first for huge pages, and torch the second for the processor's features.
constexpr const char* kHardware[] = {"/sys/kernel/mm/transparent_hugepage",
                                     "/sys/devices/system/cpu"};

// Mounts a folder of the root, or creates the same link when it is one (/lib -> usr/lib).
void AddSystemFolder(const fs::path& folder, std::vector<std::string>* command) {
  std::error_code error;
  if (fs::is_symlink(folder, error)) {
    command->insert(command->end(), {"--symlink", fs::read_symlink(folder), folder});
  } else if (fs::is_directory(folder, error)) {
    command->insert(command->end(), {"--ro-bind", folder, folder});
  }
}

// The prefix of the interpreter that the virtual environment was made from, when it is not in /usr.
fs::path BasePrefix(const fs::path& venv) {
  std::error_code error;
  const fs::path real = fs::canonical(venv / "bin" / "python", error);
  if (error) return {};
  const fs::path prefix = real.parent_path().parent_path();
  return prefix == "/usr" || prefix == venv ? fs::path() : prefix;
}

}  // namespace

Result<std::string> FindBubblewrap() {
  for (const char* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"}) {
    if (fs::exists(path)) return std::string(path);
  }
  return Status(ErrorCode::kEnvironment,
                "bwrap (package bubblewrap) is not installed: run ./kernelmill setup");
}

void AddSystemMounts(std::vector<std::string>* command) {
  command->insert(command->end(), {"--ro-bind", "/usr", "/usr"});
  for (const char* folder : {"/bin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    AddSystemFolder(folder, command);
  }
  for (const char* path : {"/etc/alternatives", "/etc/ld.so.cache"}) {
    command->insert(command->end(), {"--ro-bind-try", path, path});
  }
}

fs::path CheckoutRoot() {
  if (const char* root = std::getenv("KERNELMILL_ROOT"); root != nullptr && *root != '\0') {
    return root;
  }
  return KERNELMILL_ROOT;
}

Result<std::vector<std::string>> SandboxCommand(
    const std::vector<std::pair<std::string, std::string>>& environment,
    const std::vector<std::string>& folders) {
  return SandboxOf({.environment = environment,
                    .folders = folders,
                    .writable = {},
                    .devices = {},
                    .program = std::string(kWorkerInside) + "/worker.py"});
}

Result<std::vector<std::string>> SandboxOf(const SandboxContents& contents) {
  const fs::path root = CheckoutRoot();
  const fs::path worker = root / "stages" / "worker";
  std::error_code error;
  // Symbolic links are resolved, because they would be broken inside the sandbox.
  const fs::path venv = fs::canonical(root / ".venv", error);
  if (error || !fs::exists(venv / "bin" / "python")) {
    return Status(ErrorCode::kEnvironment,
                  (root / ".venv").string() +
                      " holds no Python environment: run ./kernelmill setup, "
                      "or set KERNELMILL_ROOT to the checkout");
  }
  if (!fs::exists(worker / "worker.py")) {
    return Status(ErrorCode::kEnvironment, (worker / "worker.py").string() +
                                               " is missing: set KERNELMILL_ROOT to the checkout");
  }
  KM_ASSIGN(std::string bubblewrap, FindBubblewrap());

  std::vector<std::string> command = {
      std::move(bubblewrap),
      "--unshare-all",
      "--unshare-user",
      // The user must not be 0, because the worker maps it again for each request, without
      // capabilities.
      "--uid",
      "1000",
      "--gid",
      "1000",
      "--cap-drop",
      "ALL",
      "--hostname",
      "worker",
      "--clearenv",
      "--setenv",
      "PATH",
      "/usr/bin",
      "--setenv",
      "HOME",
      "/tmp",
      // torch asks for the user's name when it imports its compiler; the system's list of users is
      // not there.
      "--setenv",
      "LOGNAME",
      "worker",
      "--setenv",
      "LANG",
      "C.UTF-8",
      "--setenv",
      "PYTHONHASHSEED",
      "0",
      "--setenv",
      "OMP_NUM_THREADS",
      "1",
      "--setenv",
      "MKL_NUM_THREADS",
      "1",
      "--setenv",
      "OPENBLAS_NUM_THREADS",
      "1",
      // One heap, in huge pages if the kernel has them, so that each fork copies and frees only a
      // fifth of the page tables.
      "--setenv",
      "PYTHONMALLOC",
      "malloc",
      "--setenv",
      "GLIBC_TUNABLES",
      "glibc.malloc.hugetlb=1",
  };
  for (const auto& [name, value] : contents.environment) {
    command.insert(command.end(), {"--setenv", name, value});
  }
  AddSystemMounts(&command);
  for (const char* path : kHardware) {
    command.insert(command.end(), {"--ro-bind-try", path, path});
  }
  if (const fs::path base = BasePrefix(venv); !base.empty()) {
    command.insert(command.end(), {"--ro-bind", base, base});
  }
  command.insert(command.end(), {"--ro-bind", venv, kVenvInside, "--ro-bind", worker, kWorkerInside,
                                 "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"});
  const auto mount = [&](const char* how, const std::string& folder) -> Status {
    const fs::path real = fs::canonical(folder, error);
    if (error) return Status(ErrorCode::kNotFound, folder + " does not exist");
    command.insert(command.end(), {how, real, InsideWorker(folder)});
    return Status::Ok();
  };
  for (const std::string& folder : contents.folders) {
    KM_RETURN_IF_ERROR(mount("--ro-bind", folder));
  }
  if (!contents.writable.empty()) {
    KM_RETURN_IF_ERROR(mount("--bind", contents.writable));
  }
  // What has a device must not keep it when this program is killed.
  if (!contents.devices.empty()) command.emplace_back("--die-with-parent");
  for (const std::string& device : contents.devices) {
    command.insert(command.end(), {"--dev-bind-try", device, device});
  }
  command.insert(command.end(), {"--remount-ro", "/", "--chdir", "/tmp", "--"});
  command.insert(command.end(),
                 {std::string(kVenvInside) + "/bin/python", "-s", "-P", "-B", contents.program});
  return command;
}

std::string InsideWorker(const fs::path& outside) { return kMountedInside + outside.string(); }

Status NoSandbox(std::string_view reason) {
  return Status(
      ErrorCode::kSandbox,
      "this machine does not let an isolated process start (" + std::string(reason) +
          "). Modules from repositories are never run without isolation. Allow unprivileged user "
          "namespaces: sysctl -w user.max_user_namespaces=10000; on Debian also "
          "kernel.unprivileged_userns_clone=1; on Ubuntu 24.04 also "
          "kernel.apparmor_restrict_unprivileged_userns=0; in a container also "
          "--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
          "--security-opt systempaths=unconfined");
}

}  // namespace kernelmill
