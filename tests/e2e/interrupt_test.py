"""A request to stop is heard while the run waits for another process, however long that one takes.
The processes that it waits for are stopped here, so that a run which waits for them never ends."""

import os
import pathlib
import signal
import time
import unittest

import program
import repository
from program import DONE, RETRY


def children_of(pid):
    """Every descendant: (process id, command line)."""
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
        self.source = repository.sample_repository(self.folder / "source", files=2)
        self.configuration_file = self.configuration(self.source.folder)
        self.output = self.folder / "out"

    def stopped_child(self, process, is_it):
        """Waits for a child that `is_it` takes, and stops it."""
        while process.poll() is None:
            for pid, words in children_of(process.pid):
                if not is_it(words):
                    continue
                try:
                    os.kill(pid, signal.SIGSTOP)
                    state = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
                except (OSError, ProcessLookupError):
                    continue
                return pid, dict(line.split(":\t", 1) for line in state.splitlines())
            time.sleep(0.001)
        self.fail("it ended before: " + process.stderr.read())

    def assert_it_stops(self, process, number):
        before = children_of(process.pid)
        process.send_signal(number)
        _, words = process.communicate(timeout=120)
        self.assertEqual(process.returncode, RETRY, words)
        self.assertIn("the same command resumes", words.splitlines()[-1])
        self.assertFalse((self.output / "manifest.json").exists())
        # Those that the kernel ends for want of a parent need a moment.
        deadline = time.monotonic() + 60
        while any(is_alive(pid) for pid, _ in before):
            self.assertLess(time.monotonic(), deadline, before)
            time.sleep(0.01)

    def test_while_a_repository_is_read_and_while_modules_run(self):
        whole = self.build(self.configuration_file, self.folder / "whole")
        for number in (signal.SIGTERM, signal.SIGINT):
            for is_it in (lambda words: words[1:2] == ["mine-child"],
                          lambda words: words[0].endswith("bwrap")):
                process = program.start("sft", self.configuration_file, "--output", self.output,
                                        "--jobs", 1)
                self.addCleanup(process.kill)
                _, state = self.stopped_child(process, is_it)
                if state["Name"] == "kernelmill" and state["Seccomp"] == "2":
                    # What confines one thread has confined them all.
                    self.assertEqual(state["Threads"], "1")
                self.assert_it_stops(process, number)
        self.assertEqual(self.build(self.configuration_file, self.output)["manifest_digest"],
                         whole["manifest_digest"])
        self.assertEqual(program.run("status", self.output).returncode, DONE)


if __name__ == "__main__":
    unittest.main()
