"""Faults of the machine are no verdicts: with too few descriptors, and while another program kills
the processes of a run at random moments, as the kernel does where memory runs out, verdicts and
datasets are those of an undisturbed run, or the run ends with 75 and the same command goes on."""

import contextlib
import os
import pathlib
import random
import resource
import signal
import threading
import time
import unittest

import program
import repository
import verify_run
from program import DONE, RETRY

KILLS = 5
# A right answer, one that does not compile, and one whose process ends by itself.
ANSWERS = ["honest/relu.md", "native_cheats/does_not_compile.py", "native_cheats/native_exit.py"]


def descendants_of(ancestor):
    """The ids of the processes below `ancestor` that have not ended."""
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            fields = (path / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            if fields[0] not in "ZX":
                parents[int(path.name)] = int(fields[1])
    found = {ancestor}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return sorted(found - {ancestor})
        found |= more


class Killer(threading.Thread):
    """Kills up to `kills` descendants of a process, chosen by `chance`, until it has ended."""

    def __init__(self, process, kills, chance):
        super().__init__(daemon=True)
        self._process, self._left, self._chance = process, kills, chance
        self.killed = []

    def run(self):
        while self._left > 0 and self._process.poll() is None:
            time.sleep(self._chance.uniform(0.05, 1.5))
            there = descendants_of(self._process.pid)
            if not there:
                continue
            victim = self._chance.choice(there)
            with contextlib.suppress(OSError):
                name = pathlib.Path(f"/proc/{victim}/comm").read_text(encoding="utf-8").strip()
                os.kill(victim, signal.SIGKILL)
                self.killed.append(name)
                self._left -= 1


def limit_files(soft, hard):
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))}


class HostFaults(program.EndToEnd):
    kills = KILLS

    def setUp(self):
        super().setUp()
        self.environment = verify_run.own_root(self.folder)
        self.store = pathlib.Path(self.environment["KERNELMILL_ROOT"], ".cache/verdicts")

    def run_program(self, *arguments, **more):
        return program.run(*arguments, environment=self.environment, **more)

    def run_under_fire(self, *arguments):
        """Runs the command until it is done, while processes of it are killed, self.kills in all.
        Returns the names of the programs that were killed."""
        chance, killed = random.Random(self.kills), []
        for _ in range(self.kills + 2):
            process = program.start(*arguments, env={**os.environ, **self.environment})
            killer = Killer(process, self.kills - len(killed), chance)
            killer.start()
            _, words = process.communicate(timeout=900)
            killer.join()
            killed += killer.killed
            if process.returncode == DONE:
                return killed
            self.assertEqual(process.returncode, RETRY, (words, killed))
        self.fail(f"it came to no end: {words}")

    def stored(self):
        """The verdicts in the store, by file."""
        return {path.name: path.read_bytes() for path in self.store.rglob("*.json")}


class Verdicts(HostFaults):
    def one(self):
        task, code = verify_run.read_answer("honest/relu.md")
        reference, answer = self.folder / "reference.py", self.folder / "answer.py"
        reference.write_text((verify_run.FILES / f"tasks/{task}.py").read_text(encoding="utf-8"),
                             encoding="utf-8")
        answer.write_text(code, encoding="utf-8")
        return "verify", "--reference", reference, "--candidate", answer

    def test_with_too_few_descriptors(self):
        for limit in (64, 100):
            done = self.run_program(*self.one(), **limit_files(limit, limit))
            self.assertEqual(done.returncode, RETRY, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertIn("ulimit -n", done.stderr)
            self.assertEqual(self.stored(), {})
        # A low soft limit is raised.
        done = self.run_program(*self.one(), **limit_files(64, 4096))
        self.assertEqual(done.returncode, DONE, done.stdout + done.stderr)
        self.assertTrue(done.stdout.startswith("correct"), done.stdout)

    def test_while_processes_are_killed(self):
        checkout, samples = verify_run.lay_out(self.folder, ANSWERS)
        command = ("verify", "--kernelbench", checkout, "--run", samples, "--jobs", 1)
        done = self.run_program(*command)
        self.assertEqual(done.returncode, DONE, done.stderr)
        expected, stored = (samples / "verdicts.jsonl").read_bytes(), self.stored()
        self.store.rename(self.folder / "store")
        (samples / "verdicts.jsonl").unlink()
        for entry in self.store.parent.glob("extensions/[bd]*"):
            entry.rename(self.folder / entry.name)  # What was built for the answers.

        killed = self.run_under_fire(*command)
        self.assertEqual((samples / "verdicts.jsonl").read_bytes(), expected, killed)
        self.assertEqual(self.stored(), stored, killed)


class Datasets(HostFaults):
    def test_with_too_few_descriptors_and_while_processes_are_killed(self):
        source = repository.sample_repository(self.folder / "source", files=1).folder
        configuration = self.configuration(source, generate={"count": 2, "levels": [1]},
                                           answer=program.ANSWERS)
        expected = self.build(configuration, self.folder / "whole", environment=self.environment)
        whole = self.stored()
        self.store.rename(self.folder / "store")

        output = self.folder / "few"
        command = ("sft", configuration, "--output", output, "--jobs", 1)
        done = self.run_program(*command, **limit_files(64, 64))
        self.assertEqual(done.returncode, RETRY, done.stderr)
        self.assertIn("ulimit -n", done.stderr)
        self.assertFalse((output / "manifest.json").exists())

        killed = self.run_under_fire(*command)
        again = self.build(configuration, output, environment=self.environment)
        self.assertEqual(again["manifest_digest"], expected["manifest_digest"], killed)
        self.assertEqual(self.stored(), whole, killed)


if __name__ == "__main__":
    unittest.main()
