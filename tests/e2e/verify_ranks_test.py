"""`verify` and `rft` with their work done elsewhere: ranks do the partitions, twice at once or killed
at random, and the result is that of one process."""

import contextlib
import json
import random
import shutil
import subprocess
import unittest

import led_run
import program
import rft_test
import verify_run

KILLS = 3


class Ranks(led_run.LedRun):
    def setUp(self):
        super().setUp()
        self.environment = verify_run.own_root(self.folder)
        self.chance = random.Random(5)

    def rank(self, output, step, number, world):
        return led_run.rank(output, step, number, world, self.environment)

    def end(self, process, *codes):
        self.assertIn(process.wait(), codes)
        messages = process.stderr.read()
        process.stderr.close()
        return messages

    def twins(self, output, kills=0):
        """Work for drive(): ranks of a world of two, one of them twice. The first ranks that do
        not end at once are killed, `kills` in all."""
        left = [kills]

        def work(step):
            for number in (0, 1):
                process = self.rank(output, step, number, 2)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(self.chance.uniform(0.5, 6) if left[0] > 0 else None)
                if process.poll() is None:
                    left[0] -= 1
                process.kill()
                process.wait()
                process.stderr.close()
            for process in [self.rank(output, step, number, 2) for number in (0, 1, 1)]:
                # The run may have ended before a twin began.
                self.end(process, program.DONE, program.RETRY, program.WRONG_USE)

        return work

    def test_verdicts_are_those_of_one_process(self):
        checkout, samples = verify_run.lay_out(self.folder)
        elsewhere = self.folder / "elsewhere"
        shutil.copytree(samples, elsewhere)
        done = program.run("verify", "--kernelbench", checkout, "--run", samples, "--json",
                           environment=self.environment)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        # Without what the store has from the first run.
        leader = self.lead("verify", "--kernelbench", checkout, "--run", elsewhere, "--no-cache",
                           environment=self.environment)
        while self.unfinished(elsewhere) is None:
            self.assertIsNone(leader.poll())
        self.assertIn("one step is verify",
                      self.end(self.rank(elsewhere, "admit", 0, 1), program.WRONG_USE))
        self.drive(elsewhere, leader, self.twins(elsewhere, KILLS))
        self.assertEqual((elsewhere / "verdicts.jsonl").read_bytes(),
                         (samples / "verdicts.jsonl").read_bytes())
        # Each candidate was judged for the first run, and at least once more.
        notes = list((self.folder / "root/.cache/verdicts").rglob("*.attempts"))
        self.assertEqual(len(notes), len(verify_run.ANSWERS))
        for path in notes:
            self.assertGreaterEqual(path.read_text().split().count("kept"), 2, path)

    def test_a_dataset_of_samples_is_that_of_one_process(self):
        lines, configuration = self.folder / "samples.jsonl", self.folder / "rft.yaml"
        rft_test.write_samples(lines, rft_test.plain, [rft_test.MALFORMED])
        tasks = rft_test.write_tasks(self.folder / "tasks.jsonl")
        configuration.write_text(json.dumps(
            {"seed": 7, "tasks": [{"file": str(tasks)}], "samples": [{"file": str(lines)}]}))
        whole, output = self.folder / "whole", self.folder / "out"
        done = program.run("rft", configuration, "--output", whole, "--quiet",
                           environment=self.environment)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        leader = self.lead("rft", configuration, "--output", output, "--quiet",
                           environment=self.environment)
        steps = self.drive(output, leader, self.twins(output))
        self.assertIn("verify", steps)
        self.assertEqual((output / "manifest.json").read_bytes(),
                         (whole / "manifest.json").read_bytes())

    def test_what_a_rank_lacks_is_said(self):
        self.assertIn("no unfinished run", self.end(self.rank(self.folder, "verify", 0, 1),
                                                    program.WRONG_USE))
        for words, said in ((("--ranks", "2"), "are for --executor slurm"),
                            (("--executor", "manual", "--only-device", "--device", "cuda"),
                             "judging many answers")):
            done = program.run("verify", "--kernelbench", self.folder, "--run", self.folder, *words)
            self.assertEqual(done.returncode, program.WRONG_USE, done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
