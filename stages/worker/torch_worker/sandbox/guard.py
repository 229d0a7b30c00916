"""Answers one request: forks a confined child, watches it, and kills it when it exceeds a limit.

The child writes to a pipe: one byte once it is confined, then a nonce, the mark "=", a length and a
payload. Any other content ends the request as "killed". The child has no access to the channel, where the first byte of
every answer says who made it: the child, which is untrusted, or this module.

An end that neither the task nor a limit of ours brought about ends the request as "host": another
program killed the child, or the machine ran short. It says nothing about the task, and the client
asks again (stages/worker/torch_worker.cc). "time_limit" and "memory_limit" are said only where this
module killed the child for that reason, or where what it used shows that it reached the limit.
"""

import errno
import mmap
import os
import select
import signal
import struct
import time

from torch_worker import protocol
from torch_worker.sandbox import confinement

_NONCE_BYTES = 32
_CONFINED = b"c"
_OURS, _CHILDS = b"!", b"="
_REFUSED, _SHORT, _FAILED, _DONE = b"!", b"~", b"?", b"="  # The marks after the nonce.
# Signals that a process brings upon itself. Others come from outside.
_OWN_SIGNALS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP,
                signal.SIGABRT, signal.SIGSYS}
# The kernel kills a process at its limit on processor time, which it counts less exactly than the
# time that it reports at the end.
_MOST_OF_LIMIT = 0.9
# What handlers reply when an allocation has failed, and the memory that the machine must have then
# if the limit was the cause.
_NO_MEMORY = protocol.encode({"end": "memory_limit"})
_MEMORY_LEFT = 1 << 30
_MAX_REPLY = 16 << 20
_WATCH_MS = 10
# The files that come with a request are open in the child as this descriptor and the next ones.
FIRST_FILE = 101
_PAGE = os.sysconf("SC_PAGESIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_CLOCK_MS = 100
# A request takes at most this many times its limit, however busy the machine is
# (stages/worker/torch_worker.cc waits a little longer).
_PATIENCE = 10


def _resident_bytes(pid):
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0


def _machine_gives(size):
    try:
        mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except (OSError, MemoryError):
        return False
    return True


class _IdleTime:
    """Measures how long a process has neither computed nor waited for a processor or a disk, and
    was not stopped. A limit on this time does not depend on how busy the machine is."""

    def __init__(self, pid):
        self._pid, self.seconds = pid, 0.0
        self._held = False  # Stopped, or waiting for a disk.
        self._last, self._before = time.monotonic(), self._at_work()

    def _at_work(self):
        """Seconds for which its threads computed or its first thread waited for a processor."""
        seconds = 0.0
        try:
            with open(f"/proc/{self._pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            self._held = fields[0] in "DTt"
            seconds = (int(fields[11]) + int(fields[12])) / _TICKS
            with open(f"/proc/{self._pid}/schedstat") as file:
                seconds += int(file.read().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            pass  # The process has ended, or the kernel does not count this.
        return seconds

    def look(self):
        now = time.monotonic()
        if now - self._last < _CLOCK_MS / 1000:
            return
        held, at_work = self._held, self._at_work()
        if not held and not self._held:
            self.seconds += max(0.0, now - self._last - max(0.0, at_work - self._before))
        self._last, self._before = now, at_work


def _is_shortage(error):
    if isinstance(error, confinement.ConfinementError):
        return error.shortage
    return isinstance(error, MemoryError) or error.errno in protocol.SHORTAGES


def _child(handler, request, files, nonce, reply_end, print_end):
    """Never returns. Leaves open: /dev/null, the counted output, the reply and `files`."""
    write_all, pack, leave, encode = protocol.write_all, struct.pack, os._exit, protocol.encode
    write, reply = os.write, reply_end
    try:
        os.dup2(reply_end, 100)
        os.dup2(print_end, 1)
        os.dup2(print_end, 2)
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 0)
        for index, file in enumerate(files):
            os.dup2(file, FIRST_FILE + index)
        os.closerange(3, 100)
        os.closerange(FIRST_FILE + len(files), 4096)
        reply = 100
        try:
            confinement.confine(request["limits"])
        except (confinement.ConfinementError, OSError) as error:
            mark = _SHORT if _is_shortage(error) else _REFUSED
            write_all(100, nonce + mark + str(error).encode(), write)
            leave(0)
        write_all(100, _CONFINED, write)
        payload = encode(handler(request))
        write_all(100, nonce + _DONE + pack(">I", len(payload)) + payload, write)
        leave(0)
    except BaseException as error:  # noqa: B036: nothing may unwind into the parent's code
        try:
            write_all(reply, nonce + _FAILED + type(error).__name__.encode(), write)
        finally:
            leave(1)


class _Watch:
    """Watches the child from outside."""

    def __init__(self, pid, limits, reply, printed, channel):
        self.pid, self.limits = pid, limits
        self.reply, self.printed, self.channel = reply, printed, channel
        self.data = bytearray()
        self.printed_bytes = 0

    def run(self):
        """Returns the result with which the child must be killed, or None when it ended by
        itself."""
        poller = select.poll()
        for descriptor in (self.reply, self.printed):
            poller.register(descriptor, select.POLLIN)
        poller.register(self.channel, select.POLLRDHUP | select.POLLHUP)
        limit = self.limits["wall_ms"] / 1000
        deadline, idle = time.monotonic() + _PATIENCE * limit, _IdleTime(self.pid)
        open_ends = {self.reply, self.printed}
        base = _resident_bytes(os.getpid())
        while open_ends:
            for descriptor, _ in poller.poll(_WATCH_MS):
                if descriptor == self.channel:
                    os.kill(self.pid, signal.SIGKILL)
                    os._exit(0)  # The program that asked has ended.
                chunk = os.read(descriptor, 1 << 16)
                if not chunk:
                    poller.unregister(descriptor)
                    open_ends.discard(descriptor)
                elif descriptor == self.reply:
                    self.data += chunk
                else:
                    self.printed_bytes += len(chunk)
            if self.printed_bytes > self.limits["output_bytes"]:
                return {"end": "output_limit"}
            if len(self.data) > _MAX_REPLY:
                return {"end": "reply_limit"}
            idle.look()
            if idle.seconds > limit:
                return {"end": "time_limit"}
            if time.monotonic() > deadline:
                return of_host("it was given too little processor time")
            if _resident_bytes(self.pid) > base + self.limits["memory_bytes"]:
                return {"end": "memory_limit"}
        return None


def of_host(detail):
    """The answer to a request that failed for a reason of the machine's."""
    return {"end": "host", "detail": detail}


def _result_of_signal(number, usage, limits):
    if number in (signal.SIGXCPU, signal.SIGKILL):
        # The watcher's own kills are handled before.
        used = usage.ru_utime + usage.ru_stime
        if used >= _MOST_OF_LIMIT * confinement.cpu_seconds(limits):
            return {"end": "time_limit", "detail": "processor time"}
    if number == signal.SIGSYS:
        return {"end": "killed", "detail": "it made a forbidden system call"}
    if number in _OWN_SIGNALS:
        return {"end": "killed", "detail": f"it died of {signal.Signals(number).name}"}
    return of_host(f"it was killed from outside (signal {number})")


def _result_of(data, nonce, status, usage, limits):
    """The answer to the request, from the bytes that the child wrote, its wait status and what it
    has used."""
    if os.WIFSIGNALED(status):
        return _result_of_signal(os.WTERMSIG(status), usage, limits)
    confined = data.startswith(_CONFINED)
    data = data[len(_CONFINED):] if confined else data
    mark = data[_NONCE_BYTES:_NONCE_BYTES + 1]
    body = bytes(data[_NONCE_BYTES + 1:]) if data.startswith(nonce) else b""
    if not confined:
        # No task has run yet.
        words = body.decode("utf-8", "replace") or "it ended before it was confined"
        return {"end": "no_sandbox", "detail": words} if mark == _REFUSED else of_host(words)
    if not data.startswith(nonce):
        return {"end": "killed", "detail": "it ended without an answer"}
    if mark == _DONE and len(body) >= 4 and struct.unpack(">I", body[:4])[0] == len(body) - 4:
        if body[4:] == _NO_MEMORY and not _machine_gives(min(limits["memory_bytes"],
                                                             _MEMORY_LEFT)):
            return of_host("the machine has no memory left")
        return body[4:]
    return {"end": "killed", "detail": "it ended without a whole answer"}


def say(channel, result):
    """Answers a request from this process, not from a child."""
    protocol.write_frame(channel, _OURS + protocol.encode(result))


def _watched(pid, nonce, limits, reply, printed, channel):
    """The result of the child `pid`, which has ended then."""
    watch = _Watch(pid, limits, reply, printed, channel)
    killed = of_host("it could not be watched")
    try:
        killed = watch.run()
    finally:
        if killed:
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
    return killed or _result_of(watch.data, nonce, status, usage, limits)


def _result(handler, request, files, channel):
    nonce = os.urandom(_NONCE_BYTES)
    ends = []
    try:
        ends += os.pipe()
        ends += os.pipe()
        reply, reply_end, printed, print_end = ends
        pid = confinement.fork_into_namespaces()
        if pid == 0:
            _child(handler, request, files, nonce, reply_end, print_end)
        for end in (reply_end, print_end):
            ends.remove(end)
            os.close(end)
        return _watched(pid, nonce, request["limits"], reply, printed, channel)
    finally:
        for end in ends:
            os.close(end)


def answer(handler, request, files, channel):
    """Lets `handler` answer in a confined child, and writes the frame. The process must have a
    single thread. `files`: None when they could not be received."""
    try:
        if files is None:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        result = _result(handler, request, files, channel)
    except confinement.ConfinementError as error:
        result = (of_host(str(error)) if error.shortage
                  else {"end": "no_sandbox", "detail": str(error)})
    except (OSError, MemoryError) as error:
        result = of_host(str(error) or type(error).__name__)
    if isinstance(result, bytes):
        protocol.write_frame(channel, _CHILDS + result)
    else:
        say(channel, result)
