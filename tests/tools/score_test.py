"""`kernelmill score` as users call it."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from small_dataset import BINARY

STATUSES = ("correct", "wrong", "correct", "illegal", "undecided", "not_built")


def score(*words):
    return subprocess.run([BINARY, "score", *map(str, words)], capture_output=True, text=True,
                          check=False)


class Score(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write_verdicts(self):
        """Six samples of each of two problems, and a malformed line."""
        lines = [{"key": f"level_{level}_problem_7_sample_{number}", "fingerprint": "",
                  "verdict": {"status": status}}
                 for level in (1, 2) for number, status in enumerate(STATUSES)]
        lines.append({"key": "line 13", "rejected": {"problem": "no JSON", "text": "{"}})
        (self.folder / "verdicts.jsonl").write_text("".join(json.dumps(line) + "\n"
                                                           for line in lines))

    def document(self, *words):
        done = score(*words, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_scores_verdicts(self):
        self.write_verdicts()
        scores = self.document(self.folder, "--k", "1,5")
        everything = scores["all"]
        self.assertEqual((everything["tasks"], everything["samples"], everything["scored"]), (2, 12, 10))
        self.assertEqual(everything["not_scored"], {"undecided": 2})
        self.assertEqual(scores["malformed"], 1)
        self.assertAlmostEqual(everything["correct"]["value"], 2 / 5)
        self.assertAlmostEqual(everything["legal"]["value"], 4 / 5)
        self.assertEqual(everything["pass_at_k"]["5"]["value"], 1)
        self.assertIsNone(everything["faster"])
        self.assertEqual(set(scores["levels"]), {"1", "2"})
        text = score(self.folder).stdout
        for words in (r"not scored.*2 undecided", "1 malformed line", r"correct +40\.0 %",
                      r"faster over 1\.1× +n/a", "level 2 "):
            self.assertRegex(text, words)

    def test_what_cannot_be_scored_is_refused(self):
        path = self.folder / "eval_results.json"
        baseline = self.folder / "baseline.json"
        baseline.write_text(json.dumps({"level1": {"1_A.py": {"mean": 1e200}}}))
        entry = {"sample_id": 0, "compiled": True, "correctness": True, "runtime": 1e-200}
        for problem, words in (("1", "problem '1', sample_id 0: its runtime of 1e-200 ms"),
                               ("01", "problem '01': it is no number"),
                               ("4294967297", "problem '4294967297': it is no number")):
            path.write_text(json.dumps({problem: [entry]}))
            done = score(path, "--level", 1, "--baseline", baseline, "--json")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"{path}: {words}", done.stderr)
        (self.folder / "verdicts.jsonl").write_text("{\n")
        done = score(self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("verdicts.jsonl:1: ", done.stderr)

    def test_the_turns_of_an_attempt_are_one_sample(self):
        lines = []
        for attempt, statuses in enumerate((["wrong", "correct", "wrong"], ["not_built", "wrong"])):
            lines += [{"key": "k", "task": "t", "attempt": attempt, "turn": turn + 1,
                       "verdict": {"status": status}} for turn, status in enumerate(statuses)]
        path = self.folder / "verdicts.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in reversed(lines)))
        scores = self.document(path)
        self.assertEqual(scores["all"]["statuses"], {"correct": 1, "wrong": 1})
        self.assertEqual(scores["other_turns"], 3)
        # An answer to a repair prompt is no attempt at the task alone.
        with path.open("a") as file:
            file.write(json.dumps({**lines[1], "attempt": 1, "retry": True}) + "\n")
        self.assertEqual(self.document(path), {**scores, "retries": 1})
        self.assertIn("1 repair not counted", score(path).stdout)
        path.write_text(2 * (json.dumps(lines[0]) + "\n"))
        self.assertIn("verdicts.jsonl:2: turn 1 of attempt 0 occurs twice", score(path).stderr)

    def test_writes_a_page_that_loads_nothing(self):
        self.write_verdicts()
        page = self.folder / "scores.html"
        self.assertEqual(score(self.folder, "--html", page).returncode, 0)
        text = page.read_text(encoding="utf-8")
        root = xml.etree.ElementTree.fromstring(text.replace("<!DOCTYPE html>", ""))
        self.assertGreaterEqual(len(list(root.iter("svg"))), 3)
        self.assertNotRegex(text, r"<script|src=|href=|url\(")
        self.assertIn("40.0 %", text)

    def test_scores_the_tasks_of_a_dataset(self):
        config = self.folder / "drawn.yaml"
        config.write_text("seed: 3\ngenerate: {count: 3, levels: [1, 2]}\nanswer: {variants: 0}\n")
        dataset = self.folder / "drawn"
        subprocess.run([BINARY, "sft", config, "--output", dataset, "--quiet", "--jobs", "1"],
                       check=True, capture_output=True)
        rows = [json.loads(line) for path in sorted(dataset.glob("data/**/*.jsonl"))
                for line in path.read_text(encoding="utf-8").splitlines()]
        tasks = sorted({row["task_id"] for row in rows})
        (self.folder / "verdicts.jsonl").write_text("".join(
            json.dumps({"key": str(number), "task": name, "verdict": {"status": "correct"}}) + "\n"
            for number, name in enumerate([*tasks, tasks[0][:20]])))
        scores = self.document(self.folder, "--tasks", dataset)
        # The last line names the first task by a prefix.
        self.assertEqual(scores["all"]["tasks"], len(tasks))
        self.assertEqual(scores["tasks_without_families"], 0)
        self.assertTrue(scores["families"])
        self.assertLessEqual(set(scores["levels"]), {"1", "2"})
        (self.folder / "verdicts.jsonl").write_text(
            '{"key": "1", "task": "no such", "verdict": {"status": "correct"}}\n')
        done = score(self.folder, "--tasks", dataset)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"verdicts\.jsonl:1: 'no such' is no task of ")

    def test_says_what_is_wrong(self):
        self.assertRegex(score(self.folder).stderr, "neither verdicts.jsonl .* nor eval_results")
        results, verdicts = self.folder / "eval_results.json", self.folder / "verdicts.jsonl"
        results.write_text("{}")
        done = score(results, "--baseline", "times.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("give --level", done.stderr)
        verdicts.write_text('{"key": "a", "verdict": {"status": "correct"}}\n')
        self.assertIn('verdicts.jsonl:1: it has no "task"', score(self.folder).stderr)
        verdicts.write_text('{"key": "level_1_problem_1_sample_0", "verdict": {"status": "fine"}}\n')
        self.assertIn("verdicts.jsonl:1: unknown status 'fine'", score(self.folder).stderr)
        verdicts.write_text("{\n")
        self.assertRegex(score(self.folder).stderr, re.escape("verdicts.jsonl:1: "))
        self.assertIn("are for eval_results.json; the times", score(self.folder, "--level", 1).stderr)


if __name__ == "__main__":
    unittest.main()
