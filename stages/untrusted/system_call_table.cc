#include "stages/untrusted/system_call_table.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <initializer_list>

namespace kernelmill {
namespace {

using enum CallAction;

// Calls that are decided by their number alone, with the action for each kind of process.
struct CallGroup {
  CallAction parser;
  CallAction task;
  std::initializer_list<const char*> calls;
};
const CallGroup kGroups[] = {
    // Reading files and folders. Which files there are is decided by Landlock and by the mounts.
    {kAllow,
     kAllow,
     {"read", "pread64", "close", "fstat", "newfstatat", "statx", "lseek", "stat", "lstat",
      "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd"}},
    {kAllow, kRefuse, {"fadvise64"}},
    {kRefuse, kAllow, {"readv", "getdents", "openat"}},
    // Writing to descriptors. A parser can open none that is writable.
    {kAllow, kAllow, {"write", "writev"}},
    // Files in the task's own /tmp, the only place that it can write to.
    {kRefuse, kAllow, {"pwrite64", "ftruncate", "mkdir", "rmdir", "unlink", "unlinkat", "fcntl"}},
    // Waiting.
    {kAllow, kAllow, {"poll", "sched_yield"}},
    {kAllow, kRefuse, {"ppoll"}},
    {kRefuse, kAllow, {"nanosleep", "clock_nanosleep"}},
    // Memory. Python's extension modules and candidates' libraries are mapped as executable.
    {kAllow, kAllow, {"munmap", "brk", "mremap", "madvise"}},
    {kRefuse, kAllow, {"mmap", "mprotect", "mincore", "mbind", "get_mempolicy"}},
    // Questions about the process, the machine and the time.
    {kAllow,
     kAllow,
     {"getpid", "gettid", "getuid", "geteuid", "getgid", "getegid", "uname", "sysinfo", "getrusage",
      "sched_getaffinity", "clock_gettime", "gettimeofday", "time", "getrandom"}},
    {kAllow, kRefuse, {"getrlimit"}},
    {kRefuse, kAllow, {"getppid", "times", "clock_getres", "getcpu"}},
    // Signal handlers, threads and the end of the process. The rules for clone() decide which
    // process may start a thread; these calls are needed by a thread that a library has just
    // started.
    {kAllow,
     kAllow,
     {"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall", "futex",
      "rseq", "set_robust_list", "exit", "exit_group"}},
    {kRefuse, kAllow, {"arch_prctl", "set_tid_address"}},
    // glibc falls back to clone(), whose flags a filter can see.
    {kRefuse, kAbsent, {"clone3"}},

    // Running programs; reading, tracing and watching other processes.
    {kKill,
     kKill,
     {"execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "perf_event_open",
      "userfaultfd"}},
    // Leaving the namespaces and mounts of the process.
    {kKill,
     kKill,
     {"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_by_handle_at"}},
    {kRefuse, kKill, {"open_tree", "move_mount", "fsopen"}},
    // Changing the kernel, and interfaces of it that filters do not see into.
    {kKill,
     kKill,
     {"bpf", "init_module", "finit_module", "kexec_load", "keyctl", "io_uring_setup"}},
    {kKill, kRefuse, {"add_key", "request_key"}},
    {kRefuse, kKill, {"io_setup", "io_uring_enter", "io_uring_register"}},
    // Processes, signals to them, and sockets: a task that asks for one of these means harm.
    {kRefuse,
     kKill,
     {"fork", "vfork", "kill", "tkill", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "socket",
      "socketpair", "connect"}},
};

constexpr std::uint64_t kWritingFlags = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

constexpr ArgumentTest Equals(unsigned argument, std::uint64_t value) {
  return {argument, ArgumentTest::Kind::kEquals, value};
}
constexpr ArgumentTest Differs(unsigned argument, std::uint64_t value) {
  return {argument, ArgumentTest::Kind::kDiffers, value};
}
constexpr ArgumentTest IntEquals(unsigned argument, std::uint64_t value) {
  return {argument, ArgumentTest::Kind::kIntEquals, value};
}
constexpr ArgumentTest HasBits(unsigned argument, std::uint64_t bits) {
  return {argument, ArgumentTest::Kind::kHasBits, bits};
}
constexpr ArgumentTest HasNoBits(unsigned argument, std::uint64_t bits) {
  return {argument, ArgumentTest::Kind::kHasNoBits, bits};
}

// Calls that are decided by their arguments too.
std::vector<SystemCallRule> ParserRules() {
  const auto self = static_cast<std::uint64_t>(getpid());
  return {
      {"open", kAllow, {HasNoBits(1, kWritingFlags)}},
      {"openat", kAllow, {HasNoBits(2, kWritingFlags)}},
      {"mmap", kAllow, {HasNoBits(2, PROT_EXEC)}},
      {"mprotect", kAllow, {HasNoBits(2, PROT_EXEC)}},
      // Replies go to the connected socket; nothing is sent to an address.
      {"sendto", kAllow, {Equals(4, 0)}},
      {"fcntl", kAllow, {IntEquals(1, F_GETFD)}},
      {"fcntl", kAllow, {IntEquals(1, F_SETFD)}},
      {"fcntl", kAllow, {IntEquals(1, F_GETFL)}},
      {"fcntl", kAllow, {IntEquals(1, F_DUPFD_CLOEXEC)}},
      // Each request sets its own limit on processor time.
      {"prlimit64", kAllow, {IntEquals(0, 0), IntEquals(1, RLIMIT_CPU)}},
      // abort() signals its own process.
      {"tgkill", kAllow, {IntEquals(0, self)}},
  };
}

std::vector<SystemCallRule> TaskRules() {
  return {
      // Threads are allowed, processes are not.
      {"clone", kAllow, {HasBits(0, CLONE_THREAD)}},
      {"clone", kKill, {HasNoBits(0, CLONE_THREAD)}},
      // Limits can be read: the pointer to a new one is null.
      {"prlimit64", kAllow, {Equals(2, 0)}},
      // abort() signals its own process, which is process 1.
      {"tgkill", kAllow, {Equals(0, 1)}},
      {"tgkill", kKill, {Differs(0, 1)}},
      {"ioctl", kAllow, {IntEquals(1, TCGETS)}},  // isatty()
  };
}

}  // namespace

std::vector<SystemCallRule> SystemCallRules(ConfinedProcess process) {
  const bool parser = process == ConfinedProcess::kParser;
  std::vector<SystemCallRule> rules = parser ? ParserRules() : TaskRules();
  for (const CallGroup& group : kGroups) {
    const CallAction action = parser ? group.parser : group.task;
    if (action == kRefuse) continue;  // The default for calls without a rule.
    for (const char* call : group.calls) rules.push_back({call, action, {}});
  }
  return rules;
}

}  // namespace kernelmill
