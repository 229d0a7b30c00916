"""Kills `kernelmill verify` at random moments and runs it again: the verdicts are those of an
undisturbed run, and nothing is judged twice. verify_kill_long_test.py does the same with 30
kills."""

import json
import os
import pathlib
import random
import signal
import time
import unittest

import program
import verify_run

KILLS = 3
# Takes the optimizer more than a minute.
SLOW_TO_COMPILE = '''
import torch
from torch.utils.cpp_extension import load_inline
source = """
#define A x = x * y + 1.5f; y = y * x - 0.5f; if (x > y) { y += 1.0f; }
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
__global__ void slow(float* p) { float x = p[0], y = p[1]; D D D D D D D D p[2] = x + y; }
torch::Tensor relu(torch::Tensor x) { slow<<<1, 1>>>(x.data_ptr<float>()); return x; }
"""
extension = load_inline("slow", "torch::Tensor relu(torch::Tensor x);", source, functions=["relu"])

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return extension.relu(x)
'''


class VerifyTest(program.EndToEnd):
    def setUp(self):
        super().setUp()
        self.environment = verify_run.own_root(self.folder)
        self.store = pathlib.Path(self.environment["KERNELMILL_ROOT"], ".cache/verdicts")

    def start(self, samples, checkout):
        return program.start("verify", "--kernelbench", checkout, "--run", samples, "--jobs", 1,
                             env={**os.environ, **self.environment})

    def verify(self, samples, checkout, *options):
        done = program.run("verify", "--kernelbench", checkout, "--run", samples, "--jobs", 1,
                           "--json", *options, environment=self.environment)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        return json.loads(done.stdout), (samples / "verdicts.jsonl").read_bytes()

    def attempts(self):
        return {path.stem: path.read_text().split() for path in self.store.rglob("*.attempts")}


class Kill(VerifyTest):
    kills = KILLS

    def test_killed_and_resumed(self):
        checkout, samples = verify_run.lay_out(self.folder)
        began = time.monotonic()
        summary, expected = self.verify(samples, checkout)
        whole = time.monotonic() - began
        self.assertEqual((summary["judged"], summary["reused"]), (len(verify_run.ANSWERS), 0))

        # Resumes from the verdict store alone, and then from the file alone.
        (samples / "verdicts.jsonl").unlink()
        summary, bytes_of_hits = self.verify(samples, checkout)
        self.assertEqual((summary["judged"], bytes_of_hits), (0, expected))
        self.store.rename(self.folder / "store")
        summary, again = self.verify(samples, checkout)
        self.assertEqual((summary["judged"], again), (0, expected))

        chance = random.Random(self.kills)
        (samples / "verdicts.jsonl").unlink()
        for _ in range(self.kills):
            process = self.start(samples, checkout)
            try:
                process.wait(timeout=chance.uniform(0, whole))
                self.assertEqual(process.returncode, program.DONE, process.stderr.read())
                # The run was done before all kills; start again.
                self.assert_judged_once()
                self.assertEqual((samples / "verdicts.jsonl").read_bytes(), expected)
                (samples / "verdicts.jsonl").unlink()
                self.store.rename(self.folder / f"store-{time.monotonic()}")
            except program.subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stderr.close()
            if chance.random() < 0.3:  # Verdicts are stored in two places; each of them suffices.
                (samples / "verdicts.jsonl").unlink(missing_ok=True)
        summary, resumed = self.verify(samples, checkout)
        self.assertEqual(resumed, expected)
        self.assert_judged_once()

    def assert_judged_once(self):
        for key, lines in self.attempts().items():
            self.assertEqual(lines[-1], "kept", key)
            self.assertEqual(lines.count("kept"), 1, key)

    def test_damage_is_judged_again(self):
        checkout, samples = verify_run.lay_out(self.folder, verify_run.ANSWERS[-3:])
        _, expected = self.verify(samples, checkout)
        entries = sorted(self.store.rglob("*.json"))
        self.assertEqual(len(entries), 3)
        text = entries[0].read_text()
        entries[0].write_text(text.replace("illegal", "correct"))
        entries[1].write_text(entries[1].read_text()[:-10])
        (samples / "verdicts.jsonl").unlink()
        summary, again = self.verify(samples, checkout)
        self.assertEqual((summary["judged"], summary["reused"], again), (2, 1, expected))
        self.assertEqual(entries[0].read_text(), text)

        summary, again = self.verify(samples, checkout, "--no-cache")
        self.assertEqual((summary["judged"], again), (3, expected))


class Interrupt(VerifyTest):
    def test_ends_within_a_second_while_it_compiles(self):
        checkout, samples = verify_run.lay_out(self.folder, ["honest/relu.md"])
        sample, = samples.glob("*_kernel.py")
        sample.write_text(SLOW_TO_COMPILE)
        process = self.start(samples, checkout)
        building = pathlib.Path(self.environment["KERNELMILL_ROOT"], ".cache/extensions")
        # Other runs may be building in the same cache, or may have been killed while doing so.
        others = set(building.glob("building*"))
        deadline = time.monotonic() + 300
        own = set()
        while time.monotonic() < deadline and not own:
            time.sleep(0.02)
            own = {path for path in set(building.glob("building*")) - others
                   if self.is_slow_source(path / "extension.cpp")}
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, program.RETRY)
        # The compiler alone would have taken longer. The limit allows for a loaded machine.
        self.assertLess(time.monotonic() - asked, 20)
        self.assertEqual([path for path in own if path.exists()], [])

    @staticmethod
    def is_slow_source(path):
        try:
            return "p[2] = x + y" in path.read_text()
        except OSError:
            return False


if __name__ == "__main__":
    unittest.main()
