"""Confines a fork before it runs a task: namespaces, mounts, limits, capabilities, system calls.

Linux on x86-64. The numbers are those of linux/sched.h, linux/mount.h, linux/prctl.h,
linux/capability.h, linux/seccomp.h and asm/unistd_64.h.
"""

import ctypes
import errno
import os
import platform
import resource
import signal
import struct

from torch_worker import protocol

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
CLONE_CHILD_CLEARTID = 0x00200000
CLONE_CHILD_SETTID = 0x01000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_REC, MS_PRIVATE = 32, 0x4000, 1 << 18

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_GET_TID_ADDRESS, PR_CAP_AMBIENT = 38, 40, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2

_CLONE = 56  # The number of clone().
# What the driver of a device puts there. The files are empty.
_OF_DRIVER = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/proc/driver/nvidia/version")
_NAMESPACES = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS
_IDENTITY = os.getuid(), os.getgid()

_libc = ctypes.CDLL(None, use_errno=True)
_with_lock = ctypes.PyDLL(None, use_errno=True)  # Keeps the interpreter's lock during a call.
_with_lock.syscall.restype = ctypes.c_long


class ConfinementError(Exception):
    """The kernel refused a step of the confinement; the message names the step. `shortage`: for a
    lack of something, and not because it is forbidden."""

    def __init__(self, message, shortage=False):
        super().__init__(message)
        self.shortage = shortage


def _check(result, what):
    if result < 0:
        code = ctypes.get_errno()
        raise ConfinementError(f"{what}: {errno.errorcode.get(code, code)}: {os.strerror(code)}",
                               code in protocol.SHORTAGES)
    return result


def _prctl(option, a=0, b=0, what="prctl"):
    zero = ctypes.c_ulong(0)
    _check(_libc.prctl(option, ctypes.c_ulong(a), b, zero, zero), what)


def _mount(kind, target, flags, options=None):
    _check(_libc.mount(kind, target, kind, ctypes.c_ulong(flags), options),
           f"mount {kind.decode() if kind else 'private'} on {target.decode()}")


def _thread_id_place():
    """Where libc stores this thread's id; None on kernels without CONFIG_CHECKPOINT_RESTORE."""
    place = ctypes.c_void_p()
    known = _libc.prctl(PR_GET_TID_ADDRESS, ctypes.byref(place), *[ctypes.c_ulong(0)] * 3) == 0
    return place if known else None


def fork_into_namespaces():
    """As os.fork(), but the child is process 1 of new namespaces, in which it has all capabilities.

    This is one clone() with the flags of libc's fork() and those of the namespaces: unshare() would
    need a second fork, which costs as much again. It runs none of the handlers that libc and Python
    run around a fork: they repair locks that other threads held, and the caller has one thread.
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


_filter = {}


def set_filter(program):
    """Takes the system call filter that every fork installs, once, before the first fork. `program`
    is an array of struct sock_filter, made by stages/untrusted/system_call_filter.cc."""
    lines = ctypes.create_string_buffer(program, len(program))
    # A struct sock_fprog, which points into the lines: they must stay alive.
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(lines))
    _filter.update(lines=lines, header=ctypes.create_string_buffer(header, len(header)))


def _drop_capabilities():
    _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, ctypes.c_ulong(0), "clear ambient set")
    header = struct.pack("Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process.
    _check(_libc.capset(header, bytes(24)), "capset")


def _limit(what, value):
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))


def _limit_exactly(what, value, option):
    """Sets a limit that verdicts depend on: what reaches it must have reached ours, and not one that
    this machine sets."""
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY and hard < value:
        raise ConfinementError(f"ulimit {option} is too low: a task may use {value}", True)
    resource.setrlimit(what, (value, value))


def cpu_seconds(limits):
    return max(1, (limits["cpu_ms"] + 999) // 1000)


def _address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def end_with_parent():
    """Has this process killed when the one that forked it ends."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def confine(limits):
    """Called first in the child of fork_into_namespaces(). It cannot be undone."""
    if platform.machine() != "x86_64":
        raise ConfinementError(f"the worker runs on x86-64 only, and this is {platform.machine()}")
    if not _filter:
        raise ConfinementError("the worker was given no system call filter")
    end_with_parent()
    _keep_identity()
    address_space = _address_space()
    _mount(None, b"/", MS_REC | MS_PRIVATE)
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    _mount(b"tmpfs", b"/tmp", flags, b"size=16m,mode=0700")
    for folder in (b"/proc", b"/dev"):  # Hides other processes and shared memory.
        _mount(b"tmpfs", folder, flags, b"size=4k,mode=0500")
    for file in _OF_DRIVER:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o400))
    for folder in (b"/proc", b"/dev"):
        _mount(b"tmpfs", folder, flags | MS_RDONLY | MS_REMOUNT, b"size=4k,mode=0500")
    os.chdir("/tmp")

    _limit_exactly(resource.RLIMIT_CPU, cpu_seconds(limits), "-t")
    # guard.py limits the memory that is used; a request may reserve more addresses.
    reserved = max(limits["memory_bytes"], limits.get("address_bytes", 0))
    _limit_exactly(resource.RLIMIT_AS, address_space + reserved, "-v")
    _limit(resource.RLIMIT_FSIZE, 16 << 20)
    _limit(resource.RLIMIT_NOFILE, 64)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NPROC, 64)
    _limit(resource.RLIMIT_MEMLOCK, 0)
    _drop_capabilities()
    _prctl(PR_SET_DUMPABLE, 0, ctypes.c_ulong(0))
    _prctl(PR_SET_NO_NEW_PRIVS, 1, ctypes.c_ulong(0))
    _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
           ctypes.c_void_p(ctypes.addressof(_filter["header"])), "seccomp")
