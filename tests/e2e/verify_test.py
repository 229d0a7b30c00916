"""`kernelmill verify` as users call it: with one answer, and with a run folder in KernelBench's
form."""

import json
import pathlib
import time
import unittest

import verify_run
from program import DONE, NEGATIVE, WRONG_USE, ROOT, EndToEnd, kill_group, run, start

FILES = ROOT / "tests/stages/verify"
SAMPLES = {
    "level_1_problem_3_sample_0": ("relu", "cheats/torch_function.py"),
    "level_1_problem_3_sample_1": ("relu", "honest/relu.md"),
    "level_1_problem_20_sample_0": ("matmul", "cheats/matrix_operator.py"),
    "level_2_problem_4_sample_0": ("row_sum", "cheats/python_sum.py"),
}


class OneAnswer(EndToEnd):
    def verify(self, task, candidate, *more):
        return run("verify", "--reference", FILES / f"tasks/{task}.py", "--candidate", candidate,
                   *more)

    def test_a_correct_answer(self):
        candidate = self.folder / "answer.py"
        candidate.write_text(verify_run.read_answer("honest/relu.md")[1])
        result = self.verify("relu", candidate)
        self.assertEqual(result.returncode, DONE, result.stdout + result.stderr)
        self.assertTrue(result.stdout.startswith("correct\n"), result.stdout)
        self.assertIn("launched relu_kernel", result.stdout)

    def test_a_refused_answer_says_where(self):
        result = self.verify("relu", FILES / "cheats/tensor_method.py", "--json")
        self.assertEqual(result.returncode, NEGATIVE)
        verdict = json.loads(result.stdout)
        self.assertEqual((verdict["status"], verdict["reason"]), ("illegal", "torch_compute"))
        self.assertEqual(verdict["findings"][0]["line"], 9)
        self.assertEqual(verdict["reward"], {"value": -1.0, "share_passed": 0.0,
                                             "performance": None})

    def test_a_message_of_a_model(self):
        message = pathlib.Path(self.folder, "answer.md")
        message.write_text("Here it is:\n```python\n"
                           + verify_run.read_answer("honest/relu.md")[1] + "```\n")
        result = self.verify("relu", message)
        self.assertEqual(result.returncode, DONE, result.stdout)
        message.write_text("I cannot do that.\n")
        result = self.verify("relu", message)
        self.assertEqual(result.returncode, NEGATIVE)
        self.assertIn("no_code", result.stdout)

    def test_the_contract_decides(self):
        specialised = FILES / "specialised/checks_its_size.py"
        result = self.verify("relu", specialised)
        self.assertEqual(result.returncode, DONE, result.stdout + result.stderr)
        self.assertIn("contract fixed_shapes,contiguous,usual_values; other sizes: refuses; "
                      "other layouts: right", result.stdout)
        result = self.verify("relu", specialised, "--contract", "any_shape")
        self.assertEqual(result.returncode, NEGATIVE)
        self.assertIn("other_shapes", result.stdout)

    def test_mistakes_of_the_caller(self):
        result = run("verify", "--reference", FILES / "tasks/relu.py")
        self.assertEqual(result.returncode, WRONG_USE)
        self.assertIn("--candidate", result.stderr)
        result = self.verify("relu", FILES / "cheats/tensor_method.py", "--policy", "kind")
        self.assertIn("must be strict, mooreeval, kernelbench or kernelbench_2024", result.stderr)
        result = self.verify("relu", FILES / "cheats/tensor_method.py", "--contract", "any")
        self.assertEqual(result.returncode, WRONG_USE)
        self.assertIn("any_shape", result.stderr)


class RunFolder(EndToEnd):
    def setUp(self):
        super().setUp()
        self.checkout = pathlib.Path(self.folder, "checkout")
        self.samples = pathlib.Path(self.folder, "run")
        self.samples.mkdir()
        for key, (task, candidate) in SAMPLES.items():
            _, level, _, problem, _, _ = key.split("_")
            folder = self.checkout / f"KernelBench/level{level}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{problem}_{task}.py").write_text((FILES / f"tasks/{task}.py").read_text())
            (self.samples / f"{key}_kernel.py").write_text(verify_run.read_answer(candidate)[1])
        self.arguments = ("verify", "--kernelbench", self.checkout, "--run", self.samples)

    def verdicts(self):
        lines = (self.samples / "verdicts.jsonl").read_text().splitlines()
        return {line["key"]: line["verdict"] for line in map(json.loads, lines)}

    def test_writes_both_kinds_of_results(self):
        result = run(*self.arguments, "--json")
        self.assertEqual(result.returncode, DONE, result.stderr)
        self.assertEqual(json.loads(result.stdout)["counts"]["correct"], 1)
        self.assertEqual(list(self.verdicts()), list(SAMPLES))
        results = json.loads((self.samples / "eval_results.json").read_text())
        self.assertEqual({problem: [(entry["sample_id"], entry["correctness"]) for entry in entries]
                          for problem, entries in results.items()},
                         {"3": [(0, False), (1, True)], "20": [(0, False)], "4": [(0, False)]})
        self.assertTrue(all(entry["compiled"] for entries in results.values() for entry in entries))

        before = (self.samples / "verdicts.jsonl").read_bytes()
        again = run(*self.arguments, "--json")
        self.assertEqual(json.loads(again.stdout)["reused"], 4)
        self.assertEqual((self.samples / "verdicts.jsonl").read_bytes(), before)

        sample = self.samples / "level_2_problem_4_sample_0_kernel.py"
        # Unique, so that no earlier run of this test has left a verdict in the store.
        sample.write_text(f"{sample.read_text()}\n# Another answer: {time.time_ns()}\n")
        again = run(*self.arguments, "--json", "--level", "2")
        self.assertEqual((json.loads(again.stdout)["judged"], list(self.verdicts())),
                         (1, ["level_2_problem_4_sample_0"]))

    def test_killed_and_run_again_says_the_same(self):
        process = start(*self.arguments)
        path = self.samples / "verdicts.jsonl"
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (path.exists() and path.stat().st_size):
            time.sleep(0.02)
        kill_group(process)
        process.communicate()
        result = run(*self.arguments, "--json")
        self.assertEqual(result.returncode, DONE, result.stderr)
        self.assertGreater(json.loads(result.stdout)["reused"], 0)
        resumed = path.read_bytes()
        path.unlink()
        run(*self.arguments)
        self.assertEqual(path.read_bytes(), resumed)

    def test_names_a_missing_problem(self):
        (self.checkout / "KernelBench/level1/20_matmul.py").unlink()
        result = run(*self.arguments)
        self.assertEqual(result.returncode, WRONG_USE)
        self.assertIn("has no problem 20 in KernelBench/level1", result.stderr)


if __name__ == "__main__":
    unittest.main()
