"""A run reacts to a stop request while it waits for another process, however long that takes. The
tests suspend the processes that the run waits for, so that it would wait forever."""

import contextlib
import os
import pathlib
import signal
import time
import unittest

import program
import repository
from program import RETRY


def children_of(pid):
    """All descendants, as (process id, command line)."""
    found = []
    for path in pathlib.Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            parent = int((path / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
            words = (path / "cmdline").read_bytes().decode().split("\0")
        except (OSError, IndexError):
            continue
        if parent == pid:
            found += [(int(path.name), words), *children_of(int(path.name))]
    return found


def is_alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
    except OSError:
        return False
    return state.split()[0] not in "ZX"


class Interrupt(program.EndToEnd):
    def setUp(self):
        super().setUp()
        source = repository.sample_repository(self.folder / "source", files=1)
        # Large enough that the run is still busy when it is interrupted.
        source.write("large.py", "import torch.nn as nn\nx = nn.Linear(1, 2)\n" * 10_000)
        source.commit()
        self.configuration_file = self.configuration(source.folder)

    def stop_a_child(self, process, is_it):
        """Waits for a child for which `is_it` is true, and suspends it."""
        while process.poll() is None:
            for pid, words in children_of(process.pid):
                with contextlib.suppress(OSError):
                    if is_it(pid, words):
                        os.kill(pid, signal.SIGSTOP)
                        return
            time.sleep(0.001)
        self.fail("it ended before: " + process.stderr.read())

    def reads_repositories(self, pid, words):
        """Whether it is a parser child that has confined itself."""
        if words[1:2] != ["untrusted-child"]:
            return False
        text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        state = dict(line.split(":\t", 1) for line in text.splitlines())
        if state["Seccomp"] != "2":
            return False
        # The filter of one thread then applies to all.
        self.assertEqual(state["Threads"], "1")
        return True

    def runs_modules(self, _, words):
        return words[0].endswith("bwrap")

    def assert_it_stops(self, process, number):
        before = children_of(process.pid)
        process.send_signal(number)
        _, words = process.communicate(timeout=120)
        self.assertEqual(process.returncode, RETRY, words)
        self.assertIn("the same command resumes", words.splitlines()[-1])
        self.assertFalse((self.output / "manifest.json").exists())
        # Processes that the kernel kills because their parent died take a moment to end.
        deadline = time.monotonic() + 60
        while any(is_alive(pid) for pid, _ in before):
            self.assertLess(time.monotonic(), deadline, before)
            time.sleep(0.01)

    def test_while_a_repository_is_read_and_while_modules_run(self):
        whole = self.build(self.configuration_file, self.folder / "whole")
        for number in (signal.SIGTERM, signal.SIGINT):
            self.output = self.folder / number.name
            for is_it in (self.reads_repositories, self.runs_modules):
                process = program.start("sft", self.configuration_file, "--output", self.output,
                                        "--jobs", 1)
                self.addCleanup(process.kill)
                self.stop_a_child(process, is_it)
                self.assert_it_stops(process, number)
            self.assertEqual(self.build(self.configuration_file, self.output)["manifest_digest"],
                             whole["manifest_digest"])


if __name__ == "__main__":
    unittest.main()
