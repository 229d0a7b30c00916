"""What a forked child does to itself before it touches a task: namespaces, limits, seccomp.

Linux, x86-64. Numbers are those of linux/sched.h, linux/mount.h, linux/prctl.h, linux/capability.h,
linux/seccomp.h, linux/bpf_common.h and asm/unistd_64.h.
"""

import ctypes
import errno
import os
import platform
import resource
import signal
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
CLONE_THREAD = 0x00010000
CLONE_CHILD_CLEARTID = 0x00200000
CLONE_CHILD_SETTID = 0x01000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REC, MS_PRIVATE = 0x4000, 1 << 18

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_GET_TID_ADDRESS, PR_CAP_AMBIENT = 38, 40, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2

_NAMESPACES = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS
_IDENTITY = os.getuid(), os.getgid()

_libc = ctypes.CDLL(None, use_errno=True)
_with_lock = ctypes.PyDLL(None, use_errno=True)  # Keeps the interpreter's lock during a call.
_with_lock.syscall.restype = ctypes.c_long


class ConfinementError(Exception):
    """The kernel refused a step; the message names it."""


def _check(result, what):
    if result < 0:
        code = ctypes.get_errno()
        raise ConfinementError(f"{what}: {errno.errorcode.get(code, code)}: {os.strerror(code)}")
    return result


def _prctl(option, a=0, b=0, what="prctl"):
    zero = ctypes.c_ulong(0)
    _check(_libc.prctl(option, ctypes.c_ulong(a), b, zero, zero), what)


def _mount(kind, target, flags, options=None):
    _check(_libc.mount(kind, target, kind, ctypes.c_ulong(flags), options),
           f"mount {kind.decode() if kind else 'private'} on {target.decode()}")


def _thread_id_place():
    """Where libc keeps this thread's number; nothing on kernels built without checkpoints."""
    place = ctypes.c_void_p()
    known = _libc.prctl(PR_GET_TID_ADDRESS, ctypes.byref(place), *[ctypes.c_ulong(0)] * 3) == 0
    return place if known else None


def fork_into_namespaces():
    """As os.fork(), but the child is process 1 of namespaces of its own, with all capabilities in
    them.

    A clone() with the flags of libc's fork() and those of the namespaces: unshare() would need a
    second fork in between, which costs as much again. The handlers that libc and Python run around
    a fork are left out. They mend locks that other threads held, and the caller has none.
    """
    place = _thread_id_place()
    flags = _NAMESPACES | signal.SIGCHLD
    if place:
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID
    zero = ctypes.c_ulong(0)
    return _check(_with_lock.syscall(ctypes.c_long(_CLONE), ctypes.c_ulong(flags), zero, zero,
                                     place or zero, zero), "clone(user, pid, ipc, net, mount)")


def _keep_identity():
    uid, gid = _IDENTITY
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"),
                       ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


# What torch and Python need once they are loaded. Everything else is refused.
_ALLOWED = {
    "read": 0, "write": 1, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8,
    "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14,
    "rt_sigreturn": 15, "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20, "access": 21,
    "sched_yield": 24, "mremap": 25, "mincore": 27, "madvise": 28, "nanosleep": 35, "getpid": 39,
    "exit": 60, "uname": 63, "fcntl": 72, "ftruncate": 77, "getdents": 78, "getcwd": 79,
    "mkdir": 83, "rmdir": 84, "unlink": 87, "readlink": 89, "gettimeofday": 96, "getrusage": 98,
    "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108,
    "getppid": 110, "sigaltstack": 131, "arch_prctl": 158, "gettid": 186, "time": 201,
    "futex": 202, "sched_getaffinity": 204, "getdents64": 217, "set_tid_address": 218,
    "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230,
    "exit_group": 231, "mbind": 237, "get_mempolicy": 239, "openat": 257, "newfstatat": 262,
    "unlinkat": 263, "readlinkat": 267, "faccessat": 269, "set_robust_list": 273, "getcpu": 309,
    "getrandom": 318, "statx": 332, "rseq": 334, "faccessat2": 439,
}
_CLONE, _CLONE3, _PRLIMIT64, _TGKILL, _IOCTL = 56, 435, 302, 234, 16
_TCGETS = 0x5401  # isatty()
# A task that asks for one of these is not mistaken about anything: it is stopped at once.
_FATAL = {
    "socket": 41, "connect": 42, "socketpair": 53, "fork": 57, "vfork": 58, "execve": 59,
    "kill": 62, "ptrace": 101, "pivot_root": 155, "chroot": 161, "mount": 165, "umount2": 166,
    "init_module": 175, "tkill": 200, "io_setup": 206, "kexec_load": 246, "keyctl": 250,
    "unshare": 272, "perf_event_open": 298, "open_by_handle_at": 304, "setns": 308,
    "process_vm_readv": 310, "process_vm_writev": 311, "finit_module": 313, "bpf": 321,
    "execveat": 322, "userfaultfd": 323, "pidfd_send_signal": 424, "io_uring_setup": 425,
    "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "pidfd_open": 434, "pidfd_getfd": 438,
}

_AUDIT_ARCH_X86_64 = 0xC000003E
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_IF_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # Offsets in struct seccomp_data.


def _instruction(code, k, jump_true=0, jump_false=0):
    return struct.pack("HBBI", code, jump_true, jump_false, k)


def _low_word(argument):
    return _instruction(_LOAD, _ARGUMENTS + 8 * argument)


def seccomp_program():
    """The filter as bytes of struct sock_filter."""
    give = lambda action: _instruction(_RETURN, action)  # noqa: E731
    lines = [_instruction(_LOAD, _ARCH), _instruction(_JUMP_EQUAL, _AUDIT_ARCH_X86_64, 1, 0),
             give(_KILL), _instruction(_LOAD, _NUMBER),
             _instruction(_JUMP_AT_LEAST, 0x40000000, 0, 1), give(_KILL)]  # The x32 table.

    def rule(number, body):
        lines.append(_instruction(_JUMP_EQUAL, number, 0, len(body)))
        lines.extend(body)

    for number in sorted(_ALLOWED.values()):
        rule(number, [give(_ALLOW)])
    for number in sorted(_FATAL.values()):
        rule(number, [give(_KILL)])
    rule(_CLONE, [_low_word(0), _instruction(_JUMP_IF_SET, CLONE_THREAD, 0, 1), give(_ALLOW),
                  give(_KILL)])
    # glibc falls back to clone(), whose flags a filter can see.
    rule(_CLONE3, [give(_ERRNO | errno.ENOSYS)])
    # Reading a limit passes no new one (the third argument is a pointer: both of its words).
    rule(_PRLIMIT64, [_low_word(2), _instruction(_JUMP_EQUAL, 0, 0, 3),
                      _instruction(_LOAD, _ARGUMENTS + 8 * 2 + 4),
                      _instruction(_JUMP_EQUAL, 0, 0, 1), give(_ALLOW),
                      give(_ERRNO | errno.EPERM)])
    rule(_TGKILL, [_low_word(0), _instruction(_JUMP_EQUAL, 1, 0, 1), give(_ALLOW),
                   give(_KILL)])  # abort() signals its own process, which is process 1.
    rule(_IOCTL, [_low_word(1), _instruction(_JUMP_EQUAL, _TCGETS, 0, 1), give(_ALLOW),
                  give(_ERRNO | errno.EPERM)])
    lines.append(give(_ERRNO | errno.EPERM))
    return b"".join(lines)


# Made once, before forking. The header points into the buffer.
_PROGRAM = seccomp_program()
_FILTER = ctypes.create_string_buffer(_PROGRAM, len(_PROGRAM))
_FILTER_HEADER = ctypes.create_string_buffer(
    struct.pack("HxxxxxxP", len(_PROGRAM) // 8, ctypes.addressof(_FILTER)))


def _drop_capabilities():
    _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, ctypes.c_ulong(0), "clear ambient set")
    header = struct.pack("Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process.
    _check(_libc.capset(header, bytes(24)), "capset")


def _limit(what, value):
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))


def _address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def confine(limits):
    """Called by what fork_into_namespaces() made, first thing. Nothing can be undone afterwards."""
    if platform.machine() != "x86_64":
        raise ConfinementError(f"no system call filter for {platform.machine()}")
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _keep_identity()
    address_space = _address_space()
    _mount(None, b"/", MS_REC | MS_PRIVATE)
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    _mount(b"tmpfs", b"/tmp", flags, b"size=16m,mode=0700")
    for folder in (b"/proc", b"/dev"):  # Nothing of other processes, no shared memory.
        _mount(b"tmpfs", folder, flags | MS_RDONLY, b"size=4k,mode=0500")
    os.chdir("/tmp")

    cpu_seconds = max(1, (limits["cpu_ms"] + 999) // 1000)
    _limit(resource.RLIMIT_CPU, cpu_seconds)
    _limit(resource.RLIMIT_AS, address_space + limits["memory_bytes"])
    _limit(resource.RLIMIT_FSIZE, 16 << 20)
    _limit(resource.RLIMIT_NOFILE, 64)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NPROC, 64)
    _limit(resource.RLIMIT_MEMLOCK, 0)
    _drop_capabilities()
    _prctl(PR_SET_DUMPABLE, 0, ctypes.c_ulong(0))
    _prctl(PR_SET_NO_NEW_PRIVS, 1, ctypes.c_ulong(0))
    _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
           ctypes.c_void_p(ctypes.addressof(_FILTER_HEADER)), "seccomp")
