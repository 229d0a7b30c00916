"""Answers one request: forks a confined child, watches it, and kills it when it exceeds a limit.

The child writes to a pipe: one byte once it is confined, then a nonce, the mark "=", a length and a
payload. Any other content ends the request as "killed". The child has no access to the channel, where the first byte of
every answer says who made it: the child, which is untrusted, or this module.
"""

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


class _IdleTime:
    """Measures how long a process has neither computed nor waited for a processor. A limit on this
    time does not depend on how busy the machine is."""

    def __init__(self, pid):
        self._pid, self.seconds = pid, 0.0
        self._last, self._before = time.monotonic(), self._at_work()

    def _at_work(self):
        """Seconds for which its threads computed or its first thread waited for a processor."""
        seconds = 0.0
        try:
            with open(f"/proc/{self._pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
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
        at_work = self._at_work()
        self.seconds += max(0.0, now - self._last - max(0.0, at_work - self._before))
        self._last, self._before = now, at_work


def _child(handler, request, files, nonce, reply_end, print_end):
    """Never returns. Leaves open: /dev/null, the counted output, the reply and `files`."""
    write_all, pack, leave, encode = protocol.write_all, struct.pack, os._exit, protocol.encode
    write = os.write
    try:
        os.dup2(reply_end, 100)
        os.dup2(print_end, 1)
        os.dup2(print_end, 2)
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, 0)
        for index, file in enumerate(files):
            os.dup2(file, FIRST_FILE + index)
        os.closerange(3, 100)
        os.closerange(FIRST_FILE + len(files), 4096)
        try:
            confinement.confine(request["limits"])
        except (confinement.ConfinementError, OSError) as error:
            write_all(100, nonce + b"!" + str(error).encode(), write)
            leave(0)
        write_all(100, _CONFINED, write)
        payload = encode(handler(request))
        write_all(100, nonce + b"=" + pack(">I", len(payload)) + payload, write)
        leave(0)
    except BaseException as error:  # noqa: B036: nothing may unwind into the parent's code
        try:
            write_all(100, nonce + b"?" + type(error).__name__.encode(), write)
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
        """Returns why the child must be killed, or None when it ended by itself."""
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
                return "output_limit"
            if len(self.data) > _MAX_REPLY:
                return "reply_limit"
            idle.look()
            if idle.seconds > limit or time.monotonic() > deadline:
                return "time_limit"
            if _resident_bytes(self.pid) > base + self.limits["memory_bytes"]:
                return "memory_limit"
        return None


def _result_of(data, nonce, status):
    """The answer to the request, from the bytes that the child wrote and its wait status."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in (signal.SIGXCPU, signal.SIGKILL):
            # The limit on processor time. The watcher's own kills are handled before this function
            # is called.
            return {"end": "time_limit", "detail": "processor time"}
        if number == signal.SIGSYS:
            return {"end": "killed", "detail": "it made a forbidden system call"}
        return {"end": "killed", "detail": f"it died of {signal.Signals(number).name}"}
    confined = data.startswith(_CONFINED)
    data = data[len(_CONFINED):] if confined else data
    mark = data[_NONCE_BYTES:_NONCE_BYTES + 1]
    if not data.startswith(nonce):
        return {"end": "killed", "detail": "it ended without an answer"}
    body = bytes(data[_NONCE_BYTES + 1:])
    if mark == b"!" and not confined:
        return {"end": "no_sandbox", "detail": body.decode("utf-8", "replace")}
    if mark == b"=" and len(body) >= 4 and struct.unpack(">I", body[:4])[0] == len(body) - 4:
        return body[4:]
    return {"end": "killed", "detail": "it ended without a whole answer"}


def say(channel, result):
    """Answers a request from this process, not from a child."""
    protocol.write_frame(channel, _OURS + protocol.encode(result))


def answer(handler, request, files, channel):
    """Lets `handler` answer in a confined child, and writes the frame. The process must have a
    single thread."""
    nonce = os.urandom(_NONCE_BYTES)
    reply, reply_end = os.pipe()
    printed, print_end = os.pipe()
    try:
        pid = confinement.fork_into_namespaces()
    except confinement.ConfinementError as error:
        pid, result = None, {"end": "no_sandbox", "detail": str(error)}
    if pid == 0:
        _child(handler, request, files, nonce, reply_end, print_end)
    os.close(reply_end)
    os.close(print_end)
    if pid is not None:
        watch = _Watch(pid, request["limits"], reply, printed, channel)
        killed = watch.run()
        if killed:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        result = {"end": killed} if killed else _result_of(watch.data, nonce, status)
    os.close(reply)
    os.close(printed)
    if isinstance(result, bytes):
        protocol.write_frame(channel, _CHILDS + result)
    else:
        say(channel, result)
