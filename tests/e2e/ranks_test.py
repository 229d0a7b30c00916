"""Builds one dataset by many processes: a command that leads the run, and ranks that do the
partitions of its steps, in changing worlds, twice at once, or killed at random. The dataset is that
of one process. README's Kubernetes job is run as a cluster would run its pods."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

import led_run
import program
import repository
import yaml

PARTITIONS, KILLS = 5, 8


class Ranks(led_run.LedRun):
    def setUp(self):
        super().setUp()
        source = repository.sample_repository(self.folder / "source", files=1).folder
        self.source = self.configuration(source, generate={"count": 2, "levels": [1]},
                                         answer={**program.ANSWERS, "limit": 1},
                                         partitions=PARTITIONS)

    def lead_sft(self, output):
        return self.lead("sft", self.source, "--output", output, "--quiet")

    def test_worlds_twins_and_kills_change_nothing(self):
        expected = self.build(self.source, self.folder / "whole")
        chance = random.Random(3)

        def twins(step):
            world = chance.choice((1, 2, 5))
            started = [led_run.rank(output, step, number, world) for number in range(world)]
            started.append(led_run.rank(output, step, chance.randrange(world), world))
            for process in started:
                self.assertIn(process.wait(), (program.DONE, program.RETRY, program.WRONG_USE))
                messages = process.stderr.read()
                # The run may have ended before a twin began.
                if process.returncode != program.DONE:
                    self.assertRegex(messages, "no unfinished run|the run ended|has not begun")
                process.stderr.close()

        def kills(step):
            world = chance.choice((1, 2, 5))
            for number in range(world):
                process = led_run.rank(output, step, number, world)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    # Often enough to hit most steps, and not for ever on a slow machine.
                    process.wait(chance.uniform(0, 0.5) if self.kills < KILLS else None)
                if process.poll() is None:
                    self.kills += 1
                    process.kill()
                process.wait()
                process.stderr.close()

        self.kills = 0
        for name, work in (("twins", twins), ("kills", kills)):
            output = self.folder / name
            steps = self.drive(output, self.lead_sft(output), work)
            self.assertGreater(len(set(steps)), 8, steps)
            manifest = json.loads((output / "manifest.json").read_text())
            self.assertEqual(manifest["merkle_root"], expected["merkle_root"])
            self.assertEqual(manifest["counts"], expected["counts"])
            self.assertEqual(self.audit(output), ("consistent", []))
            self.assertFalse((output / ".run/steps").exists())
        self.assertEqual(self.kills, KILLS)

    def test_a_rank_says_what_is_wrong(self):
        output = self.folder / "out"
        self.assertEqual(self.step(output, "walk", "--rank", 0, "--world", 1)[0],
                         program.WRONG_USE)
        leader = self.lead_sft(output)
        while self.unfinished(output) != "walk":
            self.assertIsNone(leader.poll(), "it ended before")
            time.sleep(0.02)
        for words, code, message in (
                (("wlak", "--rank", 0, "--world", 1), program.WRONG_USE, "did you mean walk"),
                (("pack", "--rank", 0, "--world", 1), program.WRONG_USE, "leads the run"),
                (("supply", "--rank", 0, "--world", 1), program.WRONG_USE, "no source is a file"),
                (("walk", "--rank", 4, "--world", 4), program.WRONG_USE, "not in a world of 4"),
                (("walk", "--world", 4), program.WRONG_USE, "give --rank"),
                (("walk", "--rank", 0), program.WRONG_USE, "give --world"),
                (("admit", "--rank", 0, "--world", 1), program.RETRY, "walk, which comes before")):
            found = self.step(output, *words)
            self.assertEqual(found[0], code, found[1])
            self.assertIn(message, found[1])
        other = {**os.environ, "KERNELMILL_ROOT": str(self.other_root())}
        changed = self.step(output, "walk", "--rank", 0, "--world", 1, env=other)
        self.assertEqual(changed[0], program.WRONG_USE, changed[1])
        self.assertIn("another version of kernelmill", changed[1])
        # Another run, and this one from the start, keep out while the first one is led.
        second = program.run("sft", self.source, "--output", output, "--restart")
        self.assertEqual(second.returncode, program.RETRY, second.stderr)
        shown = json.loads(program.run("status", output, "--json").stdout)
        self.assertTrue(shown["running"])
        self.assertEqual([step["leases"] for step in shown["steps"]], [[]])

        # A lease that is renewed on a machine that is not seen from here.
        lease = {"partition": 1, "host": "far", "pid": 3, "process_start": 5,
                 "processes": "another machine", "taken": 1}
        (output / ".run/steps/walk/part-00001.lease").write_text(json.dumps(lease))
        self.assertIn("at work: far on partition 1", program.run("status", output).stdout)
        program.kill_group(leader)
        leader.wait()
        busy = program.run("sft", self.source, "--output", output, "--restart")
        self.assertEqual(busy.returncode, program.RETRY, busy.stderr)
        self.assertIn("ranks are at work", busy.stderr)

    def step(self, *words, **options):
        options.setdefault("env", {name: value for name, value in os.environ.items()
                                   if not name.startswith("SLURM_")})
        done = subprocess.run([program.BINARY, "step", *map(str, words)], capture_output=True,
                              text=True, check=False, timeout=60, **options)
        return done.returncode, done.stderr

    def other_root(self):
        """A checkout whose worker differs from that of the run."""
        root = self.folder / "root"
        (root / "stages").mkdir(parents=True)
        (root / ".venv").symlink_to((program.ROOT / ".venv").resolve())
        shutil.copytree(program.ROOT / "stages/worker", root / "stages/worker")
        (root / "stages" / "worker" / "more.py").write_text("more = 1\n")
        return root

    def test_dry_runs_print_the_scripts_of_array_jobs(self):
        done = program.run("sft", self.source, "--output", self.folder / "it's", "--dry-run",
                           "--json", "--executor", "slurm", "--ranks", 3, "--jobs", 2,
                           "--sbatch=--partition=cpu", "--sbatch", "admit:--mem=4G")
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        plan = json.loads(done.stdout)
        steps = [step["step"] for step in plan["steps"] if "what" in step]
        self.assertEqual([re.search(r"kernelmill-(\w+)-", text)[1] for text in plan["scripts"]],
                         [step for step in steps if step not in ("fetch", "mix", "pack")])
        for script in plan["scripts"]:
            self.assertIn("#SBATCH --array=0-2\n", script)
            self.assertIn("#SBATCH --cpus-per-task=2\n", script)
            self.assertIn("#SBATCH --partition=cpu\n", script)
            self.assertEqual("--mem=4G" in script, " admit --world" in script)
            subprocess.run(["sh", "-n"], input=script, text=True, check=True)
        self.assertFalse((self.folder / "it's").exists())
        for words, message in ((("--executor", "local", "--ranks", 3), "are for --executor slurm"),
                               (("--executor", "slurm", "--sbatch", "admti:--mem=4G"), "a step"),
                               (("--executor", "slurm", "--sbatch=--array=0-7"), "itself")):
            refused = program.run("sft", self.source, "--dry-run", *words)
            self.assertEqual(refused.returncode, program.WRONG_USE, refused.stderr)
            self.assertIn(message, refused.stderr)

    def test_the_kubernetes_job_of_the_readme(self):
        page = (program.ROOT / "README.md").read_text(encoding="utf-8")
        job = next(yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
                   if "kind: Job" in text)
        self.assertEqual((job["apiVersion"], job["kind"]), ("batch/v1", "Job"))
        spec, container = job["spec"], job["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(spec["completionMode"], "Indexed")
        self.assertEqual(spec["template"]["spec"]["restartPolicy"], "Never")
        rules = {rule["action"]: rule["onExitCodes"]["values"]
                 for rule in spec["podFailurePolicy"]["rules"]}
        self.assertEqual(rules, {"Ignore": [program.RETRY],
                                 "FailJob": [program.NEGATIVE, program.WRONG_USE,
                                             program.ENVIRONMENT]})
        mounts = {one["name"] for one in container["volumeMounts"]}
        self.assertEqual(mounts, {one["name"] for one in spec["template"]["spec"]["volumes"]})
        _, command, folder, step, *options = container["command"]
        self.assertEqual((command, folder.split("/")[1], step), ("step", "shared", "admit"))
        self.assertEqual(options, ["--world", str(spec["completions"])])

        output = self.folder / "out"
        leader = self.lead_sft(output)
        while self.unfinished(output) != "walk":
            self.assertIsNone(leader.poll(), "it ended before")
            time.sleep(0.02)
        for pod in range(spec["completions"]):
            environment = {**os.environ, "JOB_COMPLETION_INDEX": str(pod)}
            found = self.step(output, "walk", *options, env=environment)
            self.assertEqual(found[0], program.DONE, found[1])
        deadline = time.monotonic() + 60
        while self.unfinished(output) in (None, "walk"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        leader.send_signal(signal.SIGTERM)
        self.assertEqual(leader.wait(), program.RETRY)


if __name__ == "__main__":
    unittest.main()
