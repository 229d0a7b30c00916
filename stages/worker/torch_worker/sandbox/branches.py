"""Forks of the worker that answer requests as it does, after a preparation that takes longer than
most requests do. Requests that need the same preparation go to the same branch, which forks for each
of them.
"""

import gc
import os
import signal
import socket

from torch_worker import protocol
from torch_worker.sandbox import confinement, guard

_MOST = 6  # Each has some 30 MB of its own.
_DONE = b"="


class BranchEnded(Exception):
    """A branch has ended by itself, perhaps in the middle of an answer."""


class _Branch:
    """Runs prepare(*key), and then serves requests of `handler`, whose answers go to `channel`.
    `files`: descriptors that it does not need."""

    def __init__(self, key, prepare, handler, channel, files):
        self._ours, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            code = 1
            try:
                self._ours.close()
                for file in files:
                    os.close(file)
                confinement.end_with_parent()
                code = _serve(theirs, _why_not(prepare, key), handler, channel)
            finally:
                os._exit(code)
        theirs.close()

    def answer(self, frame, files):
        try:
            protocol.write_request(self._ours, frame, files)
            done = self._ours.recv(1)
        except (BrokenPipeError, ConnectionResetError):
            done = b""
        if done != _DONE:
            raise BranchEnded

    def end(self):
        os.kill(self._pid, signal.SIGKILL)  # Other branches hold the socket's end, too.
        self._ours.close()
        os.waitpid(self._pid, 0)


def _why_not(prepare, key):
    try:
        prepare(*key)
    except Exception as error:
        return f"a branch of the worker was not prepared: {type(error).__name__}: {error}"
    gc.freeze()
    return None


def _serve(ours, why_not, handler, channel):
    try:
        while True:
            request, files = protocol.read_request(ours)
            if why_not:
                guard.say(channel, guard.of_host(why_not))
            else:
                guard.answer(handler, request, files, channel)
            for file in files or ():
                os.close(file)
            ours.send(_DONE)
    except (protocol.ChannelClosed, BrokenPipeError, ConnectionResetError):
        return 0


class Branches:
    """`channel`: where all answers go."""

    def __init__(self, channel):
        self._channel, self._branches = channel, {}

    def answer(self, key, prepare, handler, frame, files):
        """Lets the branch of `key` answer a request, of which `frame` is the text. Raises
        BranchEnded; then nothing more may be written to the channel."""
        branch = self._branches.pop(key, None)
        if branch is None:
            if len(self._branches) >= _MOST:
                self._branches.pop(next(iter(self._branches))).end()  # The one unused for longest.
            branch = _Branch(key, prepare, handler, self._channel, files)
        self._branches[key] = branch
        branch.answer(frame, files)
