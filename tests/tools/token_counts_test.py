"""Compares the token counts and budgets of a dataset with the `tokenizers` library, which defines
the format of tokenizer.json."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import tokenizers
from small_dataset import BINARY, ROOT, build_dataset

GOLDEN = ROOT / "tests/golden/tokenizers.json"


class TokenCounts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "tokenizer.json"
        golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
        description = next(entry["tokenizer"] for entry in golden if entry["name"] == "llama")
        self.path.write_text(json.dumps(description), encoding="utf-8")

    def rows(self, dataset):
        for path in (dataset / "data").glob("*.jsonl"):
            with open(path, encoding="utf-8") as file:
                yield from map(json.loads, file)

    def test_counts_budget_and_audit(self):
        everything = build_dataset(self.folder, f"tokenizer: {self.path}\n", "everything")
        tokenizer = tokenizers.Tokenizer.from_file(str(self.path))
        sizes = []
        for row in self.rows(everything):
            counts = [len(tokenizer.encode(message["content"], add_special_tokens=False))
                      for message in row["messages"]]
            self.assertEqual((row["prompt_tokens"], row["answer_tokens"]),
                             (sum(counts[:-1]), counts[-1]))
            sizes.append(sum(counts))
        sizes.sort()
        budget = sizes[len(sizes) // 2]
        kept = [size for size in sizes if size <= budget]
        self.assertLess(len(kept), len(sizes))

        within = build_dataset(self.folder, f"tokenizer: {self.path}\nmax_tokens: {budget}\n",
                               "within")
        self.assertEqual(kept, sorted(row["prompt_tokens"] + row["answer_tokens"]
                                      for row in self.rows(within)))
        manifest = json.loads((within / "manifest.json").read_text())
        self.assertEqual(manifest["counts"]["measure"]["rejected"],
                         {"over_budget": len(sizes) - len(kept)})

        # The configuration names the file by its hash, so the audit finds it and accepts no other
        # file.
        self.assertNotIn(os.fspath(self.folder), (within / "configuration.json").read_text())
        audit = (BINARY, "audit", within, "--rederive", "1", "--json")
        report = json.loads(subprocess.run(audit, check=True, capture_output=True).stdout)
        self.assertEqual(report["rederived"]["identical"], 1)
        self.path.write_text("{}", encoding="utf-8")
        failed = subprocess.run(audit, capture_output=True, text=True, check=False)
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("tokenizer.json", failed.stderr)


if __name__ == "__main__":
    unittest.main()
