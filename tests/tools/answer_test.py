"""`kernelmill answer` prints and writes the same for any number of jobs."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from small_dataset import BINARY

HEAD = "import torch\nimport torch.nn as nn\n\n\n"
TASK = HEAD + """class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 5)

    def forward(self, x):
        return {result}


def get_inputs():
    return [torch.randn(4, 8)]


def get_init_inputs():
    return []
"""
REFERENCES = {
    "1_linear.py": TASK.format(result="torch.relu(self.layer(x))"),
    "2_looks_at_values.py": TASK.format(result="x if x.sum() > 0 else self.layer(x)"),
    "3_empty.py": "",
    "4_sum.py": TASK.format(result="self.layer(x).sum(dim=1)"),
    "5_not_python.py": "class Model(nn.Module:\n",
    "6_unknown.py": TASK.format(result="torch.fft.fft(self.layer(x)).real"),
    "7_softmax.py": TASK.format(result="torch.softmax(x, dim=-1)"),
}


class Answer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kernelmill-answer-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.references = self.folder / "references"
        self.references.mkdir()
        for name, text in REFERENCES.items():
            (self.references / name).write_text(text, encoding="utf-8")

    def both(self, *arguments):
        """The output and files of a run with one job, after comparing them with a run with
        three."""
        found = []
        for jobs in (1, 3):
            output = self.folder / f"jobs{jobs}"
            words = [BINARY, *arguments, "--jobs", jobs, "--output", output]
            done = subprocess.run(map(str, words), capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            files = {str(path.relative_to(output)): path.read_bytes()
                     for path in output.rglob("*") if path.is_file()}
            found.append((done.stdout, files))
        self.assertEqual(found[0], found[1])
        return found[0]

    def test_answers_to_a_folder(self):
        text, files = self.both("answer", self.references, "--json")
        lines = [json.loads(line) for line in text.splitlines()]
        totals = lines.pop()
        self.assertEqual([line["id"] + ".py" for line in lines], sorted(REFERENCES))
        verdicts = [[answer["status"] for answer in line["answers"]] for line in lines]
        self.assertEqual(verdicts, [["correct"], [], [], ["correct"], [], [], ["correct"]])
        outcomes = totals["outcomes"]
        self.assertEqual(outcomes["verified"], 3)
        self.assertEqual(sum(outcomes.values()), len(REFERENCES))
        self.assertIn("no reference: no_reference it is empty", outcomes)
        self.assertIn("fft", lines[5]["refusal"])
        self.assertEqual(sorted(files), ["1_linear.cuda.0.py", "4_sum.cuda.0.py",
                                         "7_softmax.cuda.0.py"])

    def test_answers_to_a_list(self):
        path = self.folder / "tasks.jsonl"
        path.write_text("".join(json.dumps({"reference": text}) + "\n"
                                for text in REFERENCES.values()) + "no JSON\n", encoding="utf-8")
        text, files = self.both("answer", path, "--unverified", "--variants", 2)
        self.assertEqual(text.count(": lowered\n"), 3)
        self.assertIn("no reference: bad_row", text)
        self.assertGreater(len(files), 3)

    def unverified(self, references):
        output = self.folder / "answers"
        done = subprocess.run([BINARY, "answer", references, "--unverified", "--output", output],
                              capture_output=True, text=True, check=False, timeout=300)
        files = sorted(path.name for path in output.glob("*")) if output.exists() else []
        return done, files

    def test_every_reference_has_a_file_of_its_own(self):
        folder = self.folder / "alike"
        text = TASK.format(result="torch.relu(self.layer(x))")
        for name in ("a/b.py", "a_b.py", "\u00e9.py", "\u00fc.py", "l" * 240 + ".py"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        done, files = self.unverified(folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(files, ["__-2.cuda.0.py", "__.cuda.0.py", "a_b-2.cuda.0.py",
                                 "a_b.cuda.0.py", "l" * 160 + ".cuda.0.py"])
        self.assertIn("a_b-2: lowered\n", done.stdout)

    def test_rows_with_names_of_any_length(self):
        path = self.folder / "tasks.jsonl"
        row = {"name": "n" * 4000, "reference": TASK.format(result="torch.relu(x)")}
        path.write_text((json.dumps(row) + "\n") * 2, encoding="utf-8")
        done, files = self.unverified(path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([name[:4] for name in files], ["1_nn", "2_nn"])

    def test_what_is_no_reference_is_named(self):
        binary, huge, pipe = (self.folder / name for name in ("binary.py", "huge.py", "pipe.py"))
        binary.write_bytes(b"x = '\xff'\n")
        huge.touch()
        os.truncate(huge, 1 << 40)
        os.mkfifo(pipe)
        for path, words in ((binary, "binary.py is not text"), (huge, "a reference at most 1048576"),
                            (pipe, "pipe.py is not a file")):
            done, files = self.unverified(path)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(files, [])

    def test_generated_tasks(self):
        text, files = self.both("answer", "--generated", "--count", 12, "--seed", 3, "--unverified",
                                "--json")
        self.assertEqual(len(text.splitlines()), 13)
        self.assertEqual(sum(name.count(".") == 1 for name in files), 12)
        self.assertGreater(sum(name.endswith(".cuda.0.py") for name in files), 6)

    def test_a_request_to_stop(self):
        with subprocess.Popen([BINARY, "answer", "--generated", "--count", "1000000",
                               "--unverified", "--json", "--jobs", "2"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, words = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, words)


if __name__ == "__main__":
    unittest.main()
