#include "stages/untrusted/system_call_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace kernelmill {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "add the audit number of this processor"
#endif

// Frequent ones first: the kernel goes through the list from its beginning.
constexpr int kAllowed[] = {
    __NR_read,
    __NR_ppoll,
    __NR_newfstatat,
    __NR_close,
    __NR_fstat,
    __NR_munmap,
    __NR_brk,
    __NR_pread64,
    __NR_getdents64,
    __NR_mremap,
    __NR_madvise,
    __NR_lseek,
    __NR_getrusage,
    __NR_readlinkat,
    __NR_faccessat,
    __NR_statx,
    __NR_getcwd,
    __NR_futex,
    __NR_getrandom,
    __NR_clock_gettime,
    __NR_gettimeofday,
    __NR_getpid,
    __NR_gettid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_uname,
    __NR_sysinfo,
    __NR_sched_getaffinity,
    __NR_sched_yield,
    __NR_fadvise64,
    // No descriptor that the filter lets a process open can be written to.
    __NR_write,
    __NR_writev,
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    // A thread that a library is just starting.
    __NR_rseq,
    __NR_set_robust_list,
    __NR_sigaltstack,
    __NR_restart_syscall,
    __NR_exit,
    __NR_exit_group,
#if defined(__x86_64__)
    __NR_poll,
    __NR_stat,
    __NR_lstat,
    __NR_access,
    __NR_readlink,
    __NR_getrlimit,
    __NR_time,
#endif
#if defined(__NR_faccessat2)
    __NR_faccessat2,
#endif
};

// Nothing in libc or a parser asks for one of these.
constexpr int kFatal[] = {
    __NR_execve,
    __NR_execveat,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_unshare,
    __NR_setns,
    __NR_bpf,
    __NR_init_module,
    __NR_finit_module,
    __NR_kexec_load,
    __NR_add_key,
    __NR_request_key,
    __NR_keyctl,
    __NR_userfaultfd,
    __NR_perf_event_open,
    __NR_open_by_handle_at,
    __NR_io_uring_setup,
};

constexpr std::uint32_t kX32Calls = 0x40000000;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kWritingFlags = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

// Assembles the filter. A condition that does not hold refuses the call.
class Filter {
 public:
  Filter() {
    Load(offsetof(seccomp_data, arch));
    Jump(BPF_JEQ, kArchitecture, 1, 0);
    Return(SECCOMP_RET_KILL_PROCESS);
    Load(offsetof(seccomp_data, nr));
    Jump(BPF_JGE, kX32Calls, 0, 1);
    Return(SECCOMP_RET_KILL_PROCESS);
  }

  void Decide(int call, std::uint32_t action) {
    Jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    Return(action);
  }

  // Between Begin(call) and End() stand conditions, all of which must hold.
  void Begin(int call) {
    Jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 0);
    begin_ = lines_.size();
  }
  void NoBitsOf(int argument, std::uint32_t bits) {
    Load(WordOf(argument, 0));
    Jump(BPF_JSET, bits, 0, 1);
    Return(kRefuse);
  }
  void OneOf(int argument, const std::vector<std::uint32_t>& values) {
    Load(WordOf(argument, 0));
    for (std::size_t i = 0; i < values.size(); ++i) {
      Jump(BPF_JEQ, values[i], static_cast<std::uint8_t>(values.size() - i), 0);
    }
    Return(kRefuse);
  }
  void NoPointer(int argument) {
    for (std::size_t word : {0, 1}) {
      Load(WordOf(argument, word));
      Jump(BPF_JEQ, 0, 1, 0);
      Return(kRefuse);
    }
  }
  void End() {
    Return(SECCOMP_RET_ALLOW);
    lines_[begin_ - 1].jf = static_cast<std::uint8_t>(lines_.size() - begin_);
  }

  std::vector<sock_filter> Finish() && {
    Return(kRefuse);
    return std::move(lines_);
  }

 private:
  // Both processors are little-endian: word 0 is the lower one.
  static std::uint32_t WordOf(int argument, std::size_t word) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                      static_cast<std::size_t>(argument) * 8 + word * 4);
  }
  void Load(std::size_t offset) {
    lines_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void Jump(std::uint16_t test, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    const auto code = static_cast<std::uint16_t>(BPF_JMP | test | BPF_K);
    lines_.push_back(BPF_JUMP(code, value, yes, no));
  }
  void Return(std::uint32_t action) { lines_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }

  std::vector<sock_filter> lines_;
  std::size_t begin_ = 0;
};

std::vector<sock_filter> Assemble() {
  Filter filter;
  const auto open = [&filter](int call, int flags) {
    filter.Begin(call);
    filter.NoBitsOf(flags, kWritingFlags);
    filter.End();
  };
  open(__NR_openat, 2);
#if defined(__x86_64__)
  open(__NR_open, 1);
#endif
  for (int call : {__NR_mmap, __NR_mprotect}) {
    filter.Begin(call);
    filter.NoBitsOf(2, PROT_EXEC);
    filter.End();
  }
  for (int call : kAllowed) filter.Decide(call, SECCOMP_RET_ALLOW);
  // An answer to the one that asks; to an address nothing is sent.
  filter.Begin(__NR_sendto);
  filter.NoPointer(4);
  filter.End();
  filter.Begin(__NR_fcntl);
  filter.OneOf(1, {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC});
  filter.End();
  filter.Begin(__NR_prlimit64);
  filter.OneOf(0, {0});
  filter.OneOf(1, {RLIMIT_CPU});
  filter.End();
  // abort() signals its own process.
  filter.Begin(__NR_tgkill);
  filter.OneOf(0, {static_cast<std::uint32_t>(getpid())});
  filter.End();
  for (int call : kFatal) filter.Decide(call, SECCOMP_RET_KILL_PROCESS);
  return std::move(filter).Finish();
}

}  // namespace

Status InstallSystemCallFilter() {
  std::vector<sock_filter> lines = Assemble();
  const sock_fprog program{static_cast<unsigned short>(lines.size()), lines.data()};
  // For every thread, should a library have made one.
  if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
    return Status(ErrorCode::kSandbox,
                  std::string("no system call filter can be installed (") + std::strerror(errno) +
                      "): Git repositories are never read without one. The kernel needs "
                      "CONFIG_SECCOMP_FILTER; a container must allow seccomp()");
  }
  return Status::Ok();
}

}  // namespace kernelmill
