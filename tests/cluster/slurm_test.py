"""Builds a dataset on a Slurm cluster with three nodes (slurm.py) and compares it with the one that
a single process builds: whole, with nodes and the launcher killed, and with a rank that fails."""

import json
import os
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import kills  # noqa: E402
import page  # noqa: E402
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

    def of_page(self, beginning, output, **names):
        """The words of a command in README, with the files of this test."""
        words = page.command(beginning, {"corpus.yaml": self.source, "out/corpus": output,
                                         "partitions=200": f"partitions={PARTITIONS}",
                                         "2": 1, **names})  # A node has one processor.
        named = words[0] in ("status", "verify")
        return words if named else [*words, "--output", output]

    def start(self, output, *options):
        process = program.start(*self.of_page("sft corpus.yaml --executor slurm --set", output),
                                *options, env=self.cluster.environment)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(program.kill_group, process)
        return process

    def succeed(self, *words):
        """What a command prints as JSON."""
        done = program.run(*words, environment=self.cluster.environment)
        self.assertEqual(done.returncode, program.DONE, done.stderr + self.cluster.logs())
        return json.loads(done.stdout)

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
        whole, output = self.folder / "whole", self.folder / "cluster"
        expected = self.succeed(*self.of_page("sft corpus.yaml --jobs", whole), "--json")
        scripts = self.succeed(*self.of_page("sft corpus.yaml --executor slurm --dry-run", output),
                               "--json")["scripts"]
        self.assertTrue(scripts)
        self.finish(self.start(output))
        self.assert_equal_to(expected, output)
        status = self.succeed(*self.of_page("status out/corpus", output), "--json")
        self.assertTrue(status["published"])
        self.assert_judged_as_by_one_process(whole)

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

    def assert_judged_as_by_one_process(self, dataset):
        task = next(row["payload"]["task_id"] for row in
                    self.succeed("inspect", dataset, "--family", "translate", "--json")["rows"])
        candidates = self.folder / "answers.jsonl"
        candidates.write_text("".join(
            json.dumps({"task": task, "code": verify_run.read_answer(answer)[1]}) + "\n"
            for answer in ("honest/relu.md", "native_cheats/empty_kernel.py",
                           "cheats/python_sum.py")))
        verdicts = []
        for place, alone in (("alone", True), ("slurm", False)):
            output = self.folder / "verdicts" / place
            words = self.of_page("verify --tasks", dataset, **{"answers.jsonl": candidates,
                                                               "out/verdicts": output})
            if alone:
                at = words.index("--executor")
                del words[at:at + 2]
            self.succeed(*words, "--seed", 7, "--no-cache", "--json")
            verdicts.append((output / "verdicts.jsonl").read_bytes())
        self.assertEqual(*verdicts)

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
