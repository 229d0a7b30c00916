"""tools/cli/json_outputs.md documents every field that a command prints as JSON."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from small_dataset import BINARY, ROOT, build_dataset

VERSION = 1
PAGE = (ROOT / "tools/cli/json_outputs.md").read_text(encoding="utf-8")


def documented(section):
    """{field: type} of a section, including fields mentioned in its cells and paragraphs."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    types = {name: "" for name in re.findall(r"`([a-z_]+)`", text)}
    types.update(re.findall(r"^\| `([a-z_]+)` \| (\w+) \|", text, re.MULTILINE))
    return types


class JsonOutputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.dataset = build_dataset(cls.folder)

    def assert_documented(self, value, types, where):
        if isinstance(value, list):
            for item in value:
                self.assert_documented(item, types, where)
        elif isinstance(value, dict):
            for name, inner in value.items():
                self.assertIn(name, types, where)
                if types[name] not in ("mapping", "record") and name != "default":
                    self.assert_documented(inner, types, f"{where}.{name}")

    def check(self, section, *words, lines=False):
        done = subprocess.run([BINARY, *map(str, words), "--json"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        documents = ([json.loads(line) for line in done.stdout.splitlines()] if lines
                     else [json.loads(done.stdout)])
        for document in documents:
            self.assertEqual(document.pop("version"), VERSION)
            self.assert_documented(document, documented(section), section)
        return documents

    def test_datasets(self):
        configuration = self.folder / "dataset.yaml"
        self.check("sft", "sft", configuration, "--output", self.dataset, "--quiet")
        self.check("sft --dry-run", "sft", configuration, "--output", self.folder / "new",
                   "--dry-run")
        self.check("mine", "mine", configuration, "--output", self.folder / "mined", "--quiet")
        self.check("lock", "lock", configuration, "--output", self.folder / "sources.lock",
                   "--quiet")
        self.check("status", "status", self.dataset)
        self.check("audit", "audit", self.dataset)
        self.check("diff", "diff", self.dataset, self.dataset)
        rows = self.check("inspect", "inspect", self.dataset, "--limit", 2)[0]["rows"]
        self.check("trace", "trace", self.dataset, rows[0]["content_id"][:16])
        samples, configuration = self.folder / "samples.jsonl", self.folder / "samples.yaml"
        task = self.check("trace", "trace", self.dataset, rows[0]["content_id"])[0]["records"][1]
        samples.write_text(json.dumps({"task": task["content_id"], "message": "No."}) + "\n")
        configuration.write_text(
            f"tasks: [{{dataset: {self.dataset}}}]\nsamples: [{{file: {samples}}}]\n")
        self.check("rft", "rft", configuration, "--output", self.folder / "rft", "--quiet",
                   "--jobs", 1)
        self.check("export", "export", self.dataset, "--format", "jsonl", "--output",
                   self.folder / "rows")

    def test_tasks_and_answers(self):
        self.check("generate", "generate", "--count", 3, lines=True)
        self.check("answer", "answer", "--generated", "--count", 2, "--unverified", lines=True)

    def test_samples(self):
        request = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
        choice = {"index": 0, "message": {"role": "assistant", "content": "y"}}
        prompts, output = self.folder / "prompts.jsonl", self.folder / "asked.jsonl"
        prompts.write_text(json.dumps({"custom_id": "t", "body": request}))
        line = {"custom_id": "t:0", "error": None, "id": "batch_req_1", "request": request,
                "response": {"status_code": 200, "request_id": "1", "body": {"choices": [choice]}}}
        failed = {**line, "response": None,
                  "error": {"code": "silent", "message": "no", "status": 0, "samples": 1}}
        output.write_text(f"{json.dumps(failed)}\n{json.dumps(line)}\n")
        for one in (line, failed):
            self.assert_documented(one, {**documented("sample"), "body": "record"}, "sample")
        # Everything is answered, so that no server is asked.
        summary, = self.check("sample", "sample", prompts, "--endpoint", "http://localhost:1",
                              "--output", output)
        self.assertEqual((summary["file"]["failed"], summary["requests"]), ({"silent": 1}, 0))

    def test_configuration(self):
        self.check("config", "config")
        self.check("config", "config", "answer.limit")


if __name__ == "__main__":
    unittest.main()
