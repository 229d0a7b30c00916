"""Inputs of `rft` that it cannot use are named before anything is judged, and what belongs to others
stays as it is."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

import program
import rft_test
import verify_run

NAME = "level_1_problem_1_sample_{}_kernel.py"


class Inputs(program.EndToEnd):
    configure = rft_test.Rft.__dict__["configure"]
    build_rft = rft_test.Rft.__dict__["build_rft"]
    refuse, kill_in = rft_test.Rft.refuse, rft_test.Rft.kill_in
    conversations = rft_test.Rft.conversations

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="kernelmill-inputs-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.environment = verify_run.own_root(cls.shared)
        cls.tasks = rft_test.write_tasks(cls.shared / "tasks.jsonl")

    def setUp(self):
        super().setUp()
        self.output = self.folder / "out"
        self.lines = self.folder / "samples.jsonl"
        rft_test.write_samples(self.lines, rft_test.plain, [rft_test.MALFORMED])

    def refused(self, configuration, words):
        self.refuse(configuration, self.output, words)
        self.assertFalse((self.output / ".run/steps/recall").exists())

    def test_a_licence_is_an_expression(self):
        configuration = self.configure(self.lines)
        keys = json.loads(configuration.read_text())
        for licence in ("not a licence!!", "", "MIT OR"):
            keys["samples"][0]["licence"] = licence
            configuration.write_text(json.dumps(keys))
            self.refused(configuration, f"samples[0]: licence: '{licence}' is no SPDX expression")

    def test_a_run_folder_holds_files_only(self):
        samples = self.folder / "run"
        samples.mkdir()
        (samples / NAME.format(0)).write_text("class ModelNew: pass")
        configuration = self.configure(samples)
        odd = samples / NAME.format(1)
        for make in (os.mkfifo, os.mkdir, lambda path: os.symlink("nowhere", path),
                     lambda path: os.symlink("/dev/zero", path)):
            make(odd)
            self.refused(configuration, f"{NAME.format(1)} has the name of a sample and is no")
            os.rmdir(odd) if odd.is_dir() else odd.unlink()

    def test_log_probs_are_read_before_anything_is_judged(self):
        rollout, policy = self.folder / "rollout.jsonl", self.folder / "policy.jsonl"
        texts = ["".join(json.dumps(line) + "\n" for line in lines)
                 for lines in self.conversations()]
        rollout.write_text(texts[0])
        reward = {"policy_log_probs": str(policy), "policy_mode": "raw", "rollout_mode": "raw"}
        configuration = self.configure(rollout, reward=reward)
        policy.write_text(texts[1] + "{}\n")
        self.refused(configuration, "reward.policy_log_probs: policy.jsonl:4: ")
        policy.write_text(texts[1].replace("The kernel follows", "Other words"))
        self.refused(configuration, "reward.policy_log_probs: no line of policy.jsonl")
        policy.write_text(texts[1])
        uncalibrated = self.configure(rollout, reward={**reward, "calibrate": True,
                                                       "policy_mode": ""})
        self.refused(uncalibrated, "reward.calibrate: no drift")
        # Another file than the run began with keeps what is judged.
        self.kill_in("buffer", self.output, configuration)
        policy.write_text(texts[0])
        self.build_rft(self.output, configuration)
        masks = [turn["mask"]["d"] for line in rft_test.read_lines(self.output / "rewards.jsonl")
                 for turn in line["turns"]]
        self.assertEqual(masks, [0, 0, 0])

    def test_outputs_of_others_stay_as_they_are(self):
        configuration = self.configure(self.lines)
        self.output.write_text("mine")
        self.refuse(configuration, self.output, "is a file; --output takes a folder")
        self.assertEqual(self.output.read_text(), "mine")
        self.output.unlink()
        self.output.symlink_to(self.folder / "nowhere")
        self.refuse(configuration, self.output, "is a link to nothing; --output takes a folder")
        self.output.unlink()
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "join.mdb").write_text("mine")
        quarantine = self.folder / "out.quarantine"
        quarantine.symlink_to(mine)
        self.refused(configuration, "out.quarantine holds files that do not belong to a run")
        quarantine.unlink()
        mine.rename(quarantine)
        self.refused(configuration, "out.quarantine holds files that do not belong to a run")
        self.assertEqual((quarantine / "join.mdb").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
