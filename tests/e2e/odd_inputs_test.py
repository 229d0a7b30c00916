"""Files that are no files, and configurations that say a thing twice: each is refused at once, with an
error that names it. exclude_sources holds for files of tasks as for repositories."""

import json
import os
import unittest

import program
import repository

TASK = ("import torch\nfrom torch import nn\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n"
        "        return torch.relu(x)\n\n\ndef get_inputs():\n    return [torch.randn(4, 8)]\n\n\n"
        "def get_init_inputs():\n    return []\n")


class OddInputs(program.EndToEnd):
    def refused(self, *words, said):
        # A pipe that is opened the usual way waits for ever.
        done = program.run(*words, timeout=120)
        self.assertNotEqual(done.returncode, program.DONE)
        self.assertIn(said, done.stderr)

    def test_pipes_and_devices_are_no_files(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        source = repository.sample_repository(self.folder / "source", files=1).folder
        for odd in (pipe, "/dev/zero"):
            self.refused("sft", self.configuration(source, tokenizer=str(odd)), "--output",
                         self.folder / "out", said=f"{odd} is a pipe or a device")
        dataset = self.folder / "dataset"
        dataset.mkdir()
        os.mkfifo(dataset / "manifest.json")
        for command in ("audit", "inspect"):
            self.refused(command, dataset, said="is a pipe or a device")

    def test_a_second_document_is_refused(self):
        path = self.configuration(self.folder)
        path.write_text(path.read_text("utf-8") + "\n---\nseed: 9\n", "utf-8")
        self.refused("sft", path, "--dry-run", said="goes on after its first YAML document")

    def test_a_format_is_named_once(self):
        source = repository.sample_repository(self.folder / "source", files=1).folder
        self.refused("sft", self.configuration(source), "--output", self.folder / "out",
                     "--set", "pack.formats=[jsonl, jsonl]", said="pack.formats: names jsonl twice")

    def test_excluded_files_of_tasks_are_dropped(self):
        tasks = self.folder / "tasks.jsonl"
        tasks.write_text(json.dumps({"code": TASK}) + "\n", "utf-8")
        configuration = self.configuration(
            {"tasks": str(tasks), "url": "https://example.org/tasks"},
            exclude_sources=["https://example.org/"])
        counts = self.build(configuration, self.folder / "out")["counts"]["supply"]
        self.assertEqual((counts["in"], counts["dropped"]), (1, {"source_excluded": 1}))


if __name__ == "__main__":
    unittest.main()
