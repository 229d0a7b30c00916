"""`kernelmill mine` runs no module, and writes the candidates for reading."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from small_dataset import BINARY, MODULES, build_repository, run


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Mine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        build_repository(self.folder)
        self.output = self.folder / "mined"
        self.configuration = self.folder / "corpus.yaml"
        self.configuration.write_text(
            f"sources:\n  - git: {self.folder}/repository\n    url: https://example.org/nets\n")

    def mine(self, *options):
        return json.loads(run(BINARY, "mine", self.configuration, "--output", self.output, "--json",
                              *options))

    def test_lists_every_candidate_once(self):
        summary = self.mine()
        candidates = lines(self.output / "candidates.jsonl")
        self.assertEqual(summary["candidates"], len(candidates))
        self.assertEqual(len(candidates), MODULES)
        self.assertEqual(len(lines(self.output / "rejects.jsonl")), summary["rejects"])
        for candidate in candidates:
            self.assertIn("class Model", candidate["code"])
            self.assertEqual(candidate["origins"][0]["url"], "https://example.org/nets")
            self.assertTrue(candidate["arguments"])
        self.assertNotIn("admit", summary["counts"])
        stored = json.loads((self.output / "mining.json").read_text())
        self.assertEqual(summary, {**stored, "version": 1})
        # A second run changes nothing. A run with a limit into another folder writes that many.
        before = (self.output / "candidates.jsonl").read_bytes()
        self.assertEqual(self.mine(), summary)
        self.assertEqual((self.output / "candidates.jsonl").read_bytes(), before)
        self.output = self.folder / "fewer"
        self.assertEqual(self.mine("--set", "limit=2")["candidates"], min(2, MODULES))

    def test_a_finished_dataset_is_left_alone(self):
        self.output.mkdir()
        (self.output / "manifest.json").write_text("{}")
        done = subprocess.run([BINARY, "mine", self.configuration, "--output", self.output],
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("holds a finished dataset", done.stderr)
        self.assertEqual([path.name for path in self.output.iterdir()], ["manifest.json"])


if __name__ == "__main__":
    unittest.main()
