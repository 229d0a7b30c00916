"""`kernelmill verify` as users call it: what it prints, what it writes, and what it does not
change."""

import json
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from small_dataset import BINARY
from terminal import on_terminal

REFERENCE = """
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(4, 8)]


def get_init_inputs():
    return []
"""
ANSWER = """
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.clamp(x, min={number})
"""


def verify(*arguments):
    return subprocess.run([BINARY, "verify", *map(str, arguments)], capture_output=True, text=True)


class Verify(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_folder(self, answers):
        """A checkout with one problem, and a run folder with these answers to it."""
        problems = self.folder / "bench/KernelBench/level1"
        problems.mkdir(parents=True)
        (problems / "1_Relu.py").write_text(REFERENCE)
        run = self.folder / "run"
        run.mkdir()
        for number in range(answers):
            name = f"level_1_problem_1_sample_{number}_kernel.py"
            (run / name).write_text(ANSWER.format(number=number))
        return ["--kernelbench", self.folder / "bench", "--run", run, "--output",
                self.folder / "verdicts"]

    def test_says_why_a_reference_failed(self):
        reference, answer = self.folder / "reference.py", self.folder / "answer.py"
        reference.write_text(REFERENCE.replace("torch.relu(x)", "x.no_such_method()"))
        answer.write_text(ANSWER.format(number=0).replace("torch.clamp(x, min=0)", "x"))
        done = verify("--reference", reference, "--candidate", answer)
        self.assertEqual(done.returncode, 1)
        self.assertIn("reference_failed", done.stdout)
        self.assertIn("no_such_method", done.stdout)
        # In red on a terminal.
        shown = on_terminal([BINARY, "verify", "--reference", str(reference), "--candidate",
                             str(answer)], {"TERM": "xterm", "NO_COLOR": ""})
        self.assertIn("\033[31mreference_failed\033[0m", shown)

    def test_goes_on_after_every_way_to_end(self):
        command = self.run_folder(answers=40)
        verdicts = self.folder / "verdicts/verdicts.jsonl"

        def committed():
            return len(list(verdicts.parent.glob(".run/steps/verify/part-*.json")))

        for number in (signal.SIGKILL, signal.SIGINT):
            before = committed()
            process = subprocess.Popen([BINARY, "verify", *map(str, command), "--seed", "7"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and committed() == before:
                time.sleep(0.01)
            busy = verify(*command, "--seed", 7)
            if process.poll() is None:
                self.assertEqual(busy.returncode, 75, busy.stderr)
                self.assertIn("another kernelmill", busy.stderr)
            process.send_signal(number)
            process.wait()
        done = verify(*command, "--seed", 7, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads(done.stdout)
        self.assertEqual(summary["judged"] + summary["reused"] + summary["rejected"], 40)
        lines = [json.loads(line) for line in verdicts.read_text().splitlines()]
        self.assertEqual([line["key"] for line in lines],
                         [f"level_1_problem_1_sample_{number}" for number in range(40)])
        self.assertEqual({line["verdict"]["reason"] for line in lines}, {"torch_compute"})
        whole = verdicts.read_bytes()
        # A damaged line is judged again, or taken from the verdict store.
        verdicts.write_bytes(whole[:200] + b"\xff" + whole[201:-100])
        self.assertEqual(verify(*command, "--seed", 7).returncode, 0)
        self.assertEqual(verdicts.read_bytes(), whole)


if __name__ == "__main__":
    unittest.main()
