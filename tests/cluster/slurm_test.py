"""Builds a dataset on a Slurm cluster with three nodes (slurm.py) and compares it with the one that
a single process builds: whole, with nodes and the launcher killed, and with a rank that fails."""

import json
import os
import pathlib
import random
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import kills  # noqa: E402
import program  # noqa: E402
import repository  # noqa: E402
import slurm  # noqa: E402
import verify_run  # noqa: E402

KILLS = 3
# Less than the partitions, so that every step is cut into two arrays.
LARGEST_ARRAY, PARTITIONS = 4, 6


class Slurm(program.EndToEnd):
    def setUp(self):
        super().setUp()
        if problem := slurm.why_not():
            self.skipTest(problem)
        source = repository.sample_repository(self.folder / "source", files=1).folder
        self.source = self.configuration(source, generate={"count": 2, "levels": [1]},
                                         answer={**program.ANSWERS, "limit": 1},
                                         partitions=PARTITIONS)
        try:
            self.cluster = self.enterContext(
                slurm.Cluster(self.folder / "slurm", LARGEST_ARRAY))
        except slurm.Forbidden as why:
            self.skipTest(str(why))

    def start(self, output, *options):
        process = program.start("sft", self.source, "--output", output, "--executor", "slurm",
                                *options, env=self.cluster.environment)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(program.kill_group, process)
        return process

    def finish(self, process):
        messages = process.stderr.read()
        self.assertEqual(process.wait(), program.DONE, messages + self.cluster.logs())
        return messages

    def assert_equal_to(self, expected, output):
        manifest = json.loads((output / "manifest.json").read_text())
        self.assertEqual(manifest["merkle_root"], expected["merkle_root"])
        self.assertEqual(manifest["counts"], expected["counts"])
        self.assertEqual(self.audit(output), ("consistent", []))
        self.assertEqual(self.cluster.command("squeue", "--noheader", "--states=PD,R"), "")

    def test_a_cluster_builds_the_dataset_of_one_process(self):
        expected = self.build(self.source, self.folder / "whole")
        output = self.folder / "cluster"
        self.finish(self.start(output))
        self.assert_equal_to(expected, output)

        # Nodes and the launcher are killed.
        chance, output = random.Random(KILLS), self.folder / "killed"

        def restart_node():
            node = chance.choice(slurm.NODES)
            self.cluster.kill_node(node)
            self.cluster.start_node(node)

        process, killed = kills.during(lambda: self.start(output), {"node": restart_node}, KILLS,
                                       chance, pause=(1, 6))
        self.assertTrue(killed)
        self.finish(process)
        self.assert_equal_to(expected, output)

    def test_a_cluster_judges_as_one_process_does(self):
        answers = ("honest/relu.md", "native_cheats/empty_kernel.py", "cheats/python_sum.py")
        checkout, samples = verify_run.lay_out(self.folder, answers)
        elsewhere = self.folder / "elsewhere"
        shutil.copytree(samples, elsewhere)
        done = program.run("verify", "--kernelbench", checkout, "--run", samples, "--seed", 7)
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        done = program.run("verify", "--kernelbench", checkout, "--run", elsewhere, "--seed", 7,
                           "--no-cache", "--executor", "slurm",
                           environment=self.cluster.environment)
        self.assertEqual(done.returncode, program.DONE, done.stderr + self.cluster.logs())
        self.assertEqual((elsewhere / "verdicts.jsonl").read_bytes(),
                         (samples / "verdicts.jsonl").read_bytes())

    def test_a_rank_that_fails_for_good_ends_the_run_with_its_messages(self):
        output = self.folder / "failed"
        nowhere = f"--export=ALL,KERNELMILL_ROOT={self.folder}"
        process = self.start(output, f"--sbatch={nowhere}")
        messages = process.stderr.read()
        self.assertEqual(process.wait(), program.ENVIRONMENT, messages)
        self.assertRegex(messages, r"walk: rank \d of 6 ended with exit code 3")
        self.assertIn("cannot read " + str(self.folder), messages)
        self.assertEqual(self.cluster.command("squeue", "--noheader", "--states=PD,R"), "")


if __name__ == "__main__":
    unittest.main()
