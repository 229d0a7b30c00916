"""sft --dry-run says what would be done, and does nothing."""

import json
import pathlib
import tempfile
import unittest

from small_dataset import BINARY, MODULES, build_repository, run


class DryRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_says_it_and_writes_nothing(self):
        dataset = self.folder / "dataset"
        configuration = self.folder / "dataset.yaml"
        build_repository(self.folder)
        configuration.write_text(
            f"sources:\n  - git: {self.folder}/repository\n    url: https://example.org/nets\n"
            "  - git: https://example.org/never/fetched\n")
        before = sorted(self.folder.rglob("*"))
        text = run(BINARY, "sft", configuration, "--output", dataset, "--dry-run")
        self.assertIn("https://example.org/never/fetched: would be fetched", text)
        preview = json.loads(run(BINARY, "sft", configuration, "--output", dataset, "--dry-run",
                                 "--json"))
        self.assertEqual(preview["state"], "a new run")
        self.assertEqual([source["fetched"] for source in preview["sources"]], [True, False])
        self.assertEqual(preview["sources"][0]["files"], MODULES + 1)
        self.assertEqual(sorted(self.folder.rglob("*")), before)


if __name__ == "__main__":
    unittest.main()
