"""Runs programs on a pseudo-terminal."""

import os
import pty
import select
import subprocess
import time


def on_terminal(words, environment, keys="", columns=80):
    """The output of a program on a terminal on which `keys` are typed."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(environment)
        os.execvp(words[0], words)
    subprocess.run(["stty", "cols", str(columns)], stdin=terminal, check=True)
    shown = b""
    if keys:
        time.sleep(0.5)
        os.write(terminal, keys.encode())
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and select.select([terminal], [], [], 5 if not keys else 2)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    os.waitpid(process, 0)
    return shown.decode(errors="replace").replace("\r\n", "\n")
