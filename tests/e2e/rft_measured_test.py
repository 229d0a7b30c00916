"""Builds an RFT dataset from samples that were measured on a device: the fastest of one structure
is trained, rewards and scores know the times, and one that fails on the device is not trained."""

import hashlib
import json
import pathlib
import shutil
import tempfile
import unittest

import forger
import program
import rft_test
import verify_run

DEVICE = {"name": "a card", "architecture": "sm_90", "driver": "1", "cuda": "13.0", "torch": "2.11"}
STATE = {"sm_mhz": 1980, "memory_mhz": 2619, "load_percent": 0, "celsius": 40}
# Comments that make the same kernel another answer, with its milliseconds; None fails.
ANSWERS = {"First": 2.0, "Second": 0.5, "Third": None}
EAGER_MS = 1.0


def answer_id(*texts):
    """AnswerId() of stages/device/measurement_file.h: texts with their lengths, hashed."""
    sha = hashlib.sha256()
    for text in ("answer", *texts):
        sha.update(len(text.encode()).to_bytes(8, "big") + text.encode())
    return sha.hexdigest()


def spread(milliseconds):
    return {"median_ms": milliseconds, "low_ms": milliseconds, "high_ms": milliseconds, "runs": 100}


def measured(milliseconds):
    """A measurement as `verify --device` writes it."""
    works = milliseconds is not None
    return {"v": 1, "outcome": "measured" if works else "wrong",
            "detail": "" if works else "trial 1: 3 of 4 elements differ",
            "device": DEVICE, "before": STATE, "after": STATE, "disturbed": False,
            "answer": spread(milliseconds) if works else None,
            "eager": spread(EAGER_MS) if works else None, "compiled": None,
            "speedup": EAGER_MS / milliseconds if works else None, "speedup_over_compiled": None}


class Measured(program.EndToEnd):
    configure = rft_test.Rft.__dict__["configure"]
    build_rft = rft_test.Rft.__dict__["build_rft"]
    audit, rederive, rows = rft_test.Rft.audit, rft_test.Rft.rederive, rft_test.Rft.rows

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="kernelmill-measured-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.environment = verify_run.own_root(cls.shared)
        cls.tasks = rft_test.write_tasks(cls.shared / "tasks.jsonl")
        reference = (verify_run.FILES / "tasks/relu.py").read_text()
        samples, times = [], []
        for attempt, (word, milliseconds) in enumerate(ANSWERS.items()):
            task, text = rft_test.message("honest/relu.md", lambda code: code.replace(
                "__global__", f"// {word}.\n__global__", 1))
            samples.append(rft_test.plain(task, text, "stop", attempt, word))
            code = text.split("```python\n")[1].split("```")[0]
            times.append({"key": word, "fingerprint": "of another run",
                          "answer": answer_id(reference, "cuda", code), "reward": None,
                          "measurement": measured(milliseconds)})
        cls.times = cls.shared / "measurements.jsonl"
        # The last line counts with and without its end.
        cls.times.write_text("\n".join(json.dumps(line) for line in times))
        cls.lines = cls.shared / "samples.jsonl"
        cls.lines.write_text("".join(json.dumps(line) + "\n" for line in samples))
        cls.base = cls.shared / "base"
        cls.manifest = cls.build_rft(cls.base, cls.measured_configuration(cls.times))

    @classmethod
    def measured_configuration(cls, times, lines=None):
        return cls.configure(lines or cls.lines, select={"measurements": str(times)})

    def test_the_fastest_is_trained_and_what_fails_on_the_device_is_not(self):
        counts = self.manifest["counts"]["select"]
        self.assertEqual(counts["dropped"], {"same_structure": 1})
        self.assertEqual(counts["rejected"], {"fails_on_device": 1})
        row, = self.rows(self.base)
        self.assertIn("// Second.", row["messages"][-1]["content"])
        self.assertEqual(row["perf_evidence"], "measured")
        self.assertEqual(self.audit(self.base), ("consistent", []))

    def test_rewards_and_scores_know_the_times(self):
        values = [line["turns"][0]["reward"] for line in rft_test.read_lines(self.base / "rewards.jsonl")]
        # 1 + 0.5 min(speed-up - 1, …), the slow one's without the term.
        self.assertEqual(values, [1, 1.5, None])
        scores = json.loads((self.base / "scores.json").read_text())["all"]
        self.assertAlmostEqual(scores["mean_speedup"], 1)
        self.assertEqual(scores["statuses"], {"correct": 2, "device_wrong": 1})
        lines = rft_test.read_lines(self.base / "measurements.jsonl")
        verdicts = rft_test.read_lines(self.base / "verdicts.jsonl")
        self.assertEqual([(line["key"], line["fingerprint"]) for line in lines],
                         [(line["key"], line["fingerprint"]) for line in verdicts])

    def test_the_dataset_is_derived_again_with_the_same_file(self):
        self.assertEqual(self.rederive(self.base, 100)[1], [])
        changed = self.folder / "changed"
        shutil.copytree(self.base, changed)
        path = changed / "measurements.jsonl"
        path.write_text(path.read_text().replace('"celsius":40', '"celsius":90', 1))
        forger.cover_tracks(changed)
        self.assertIn("measurements.jsonl", {file for file, _ in self.rederive(changed, 100)[1]})

    def test_what_fails_on_the_device_solves_no_task(self):
        failing = self.folder / "third.jsonl"
        failing.write_text(self.lines.read_text().splitlines()[-1] + "\n")
        manifest = self.build_rft(self.folder / "third",
                                  self.measured_configuration(self.times, failing))
        self.assertEqual(manifest["counts"]["select"]["rejected"], {"fails_on_device": 1})
        self.assertEqual(manifest["counts"]["buffer"]["dropped"], {"too_few_scored": 1})

    def test_of_several_times_of_an_answer_a_failure_counts(self):
        first, second, third = map(json.loads, self.times.read_text().splitlines())
        twice = self.folder / "twice.jsonl"
        other = {**second, "key": third["key"], "measurement": third["measurement"]}
        twice.write_text("".join(json.dumps(line) + "\n" for line in (first, other, second)))
        manifest = self.build_rft(self.folder / "twice", self.measured_configuration(twice))
        self.assertEqual(manifest["counts"]["select"]["rejected"], {"fails_on_device": 1})
        self.assertIn("// First.", self.rows(self.folder / "twice")[0]["messages"][-1]["content"])

    def test_files_that_cannot_be_used_are_refused(self):
        def refusal(times):
            done = program.run("rft", self.measured_configuration(times), "--output",
                               self.folder / "refused", environment=self.environment)
            self.assertNotEqual(done.returncode, program.DONE)
            return done.stderr

        self.assertIn("select.measurements", refusal(self.folder / "absent.jsonl"))
        mixed = self.folder / "mixed.jsonl"
        mixed.write_text(self.times.read_text().replace('"a card"', '"another card"', 1))
        self.assertIn("two devices", refusal(mixed))
        broken = self.folder / "broken.jsonl"
        broken.write_text(self.times.read_text().replace('"outcome": "wrong"', '"outcome": "slow"'))
        self.assertIn("broken.jsonl:3", refusal(broken))


if __name__ == "__main__":
    unittest.main()
