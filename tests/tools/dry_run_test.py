"""sft --dry-run describes the run without doing anything."""

import json
import pathlib
import subprocess
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
        # All steps of the run; omitted ones with the reason.
        steps = {step["step"]: step for step in preview["steps"]}
        for name in ("walk", "index_kernels", "slice_kernels", "admit", "answer", "perturb", "check",
                     "render", "measure", "mix", "pack"):
            self.assertTrue(steps[name]["what"], name)
        self.assertEqual(steps["generate"]["off"], "generate.count is 0")
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_paths_are_relative_to_the_configuration(self):
        build_repository(self.folder)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        (self.folder / "dataset.yaml").write_text("sources: [{git: repository}]\n")
        done = subprocess.run([BINARY, "sft", "../dataset.yaml", "--dry-run", "--json"], cwd=elsewhere,
                              check=True, capture_output=True, text=True)
        self.assertEqual(json.loads(done.stdout)["sources"][0]["files"], MODULES + 1)

    def test_wrong_values_are_found_before_anything_is_done(self):
        build_repository(self.folder)
        configuration, dataset = self.folder / "dataset.yaml", self.folder / "dataset"
        configuration.write_text(f"sources: [{{git: {self.folder}/repository}}]\n")
        for setting, words in (("answer.backends=[rocm]", "unknown backend 'rocm': the backends are cuda, musa"),
                               ("perturb.shares={nope: 1}", "'nope' must be one of"),
                               ("answer.variants=-1", "answer.variants: must lie between 0 and"),
                               ("answer.ways=2", "'answer.ways' is now called 'answer.variants'"),
                               ("answer.count=true", "now called 'answer.profile'"),
                               ("mine.opted_out=[x]", "now called 'exclude_sources'"),
                               ("pack.formats=[csv]", "pack.formats"),
                               ("mix={knowledge: x}", "mix.knowledge: must be a number"),
                               ("limit=-1", "limit: must lie between 0 and"),
                               ("partitions=0", "partitions: must lie between 1 and 99999")):
            for more in (["--dry-run"], []):
                done = subprocess.run([BINARY, "sft", configuration, "--output", dataset, "--set",
                                       setting, *more], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)
                self.assertFalse(dataset.exists(), setting)


if __name__ == "__main__":
    unittest.main()
