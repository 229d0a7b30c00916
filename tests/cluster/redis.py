"""A Redis server of its own for a test, on a free port of this machine, which keeps nothing on disk.
The package is redis-server, of the group `cluster` in tools/setup/debian_packages."""

import os
import shutil
import signal
import socket
import subprocess
import time

PATIENCE = 30  # Seconds until the server must answer.


def why_not():
    """Why no server can be started here; empty if one can."""
    if shutil.which("redis-server"):
        return ""
    return ("redis-server is not installed; ./kernelmill test installs the group cluster of "
            "tools/setup/debian_packages")


class Refused(Exception):
    """The server's reply is an error."""


class Server:
    """Use it as a context. `options` are those of redis-server, a password among them."""

    def __init__(self, folder, *options):
        self.folder, self.options, self.process = folder, options, None
        self.password = dict(zip(options, options[1:])).get("--requirepass", "")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        """Starts it, empty."""
        self.folder.mkdir(exist_ok=True)
        with open(self.folder / "redis.log", "ab") as log:
            self.process = subprocess.Popen(
                ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                 "--appendonly", "no", "--dir", str(self.folder), *self.options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.ask("PING")
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise AssertionError((self.folder / "redis.log").read_text()) from None
                time.sleep(0.02)

    def kill(self):
        if self.process and self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
        if self.process:
            self.process.wait()

    def ask(self, *words):
        """The reply to one command."""
        commands = [("AUTH", self.password)] if self.password else []
        with (socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection,
              connection.makefile("rb") as stream):
            for command in (*commands, words):
                parts = [str(word).encode() for word in command]
                connection.sendall(b"*%d\r\n" % len(parts) + b"".join(
                    b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
                reply = _reply(stream)
            return reply

    def key(self, end):
        """The key of the program's queue with this end, such as "compile"; None if there is none."""
        keys = [key for key in self.ask("KEYS", "kernelmill:*") if key.endswith(":" + end)]
        return keys[0] if keys else None

    def entries(self, end):
        """The entries of a stream: [{name: value}]."""
        key = self.key(end)
        found = self.ask("XRANGE", key, "-", "+") if key else []
        return [dict(zip(words[::2], words[1::2])) for _, words in found]

    def taken(self, pool):
        """How many messages of a pool are under a lease."""
        key = self.key(pool)
        groups = self.ask("XINFO", "GROUPS", key) if key else []
        return sum(dict(zip(group[::2], group[1::2]))["pending"] for group in groups)


def _reply(stream):
    line = stream.readline().rstrip(b"\r\n").decode()
    if not line:
        raise ConnectionError("the server has closed the connection")
    kind, rest = line[0], line[1:]
    if kind == "-":
        raise Refused(rest)
    if kind == "+":
        return rest
    if kind == ":":
        return int(rest)
    if int(rest) < 0:
        return None
    if kind == "$":
        return stream.read(int(rest) + 2)[:-2].decode(errors="replace")
    return [_reply(stream) for _ in range(int(rest))]
