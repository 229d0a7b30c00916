"""Builds RFT datasets from samples: every format and order of the same samples gives the same
dataset, malformed lines are quarantined, counts add up, a killed build is resumed, and problems of
a protected benchmark give verdicts and no rows."""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

import chat_server
import program
import verify_run

sys.path.insert(0, str(program.ROOT / "tools/python"))
import kernelmill  # noqa: E402

TASKS = ("relu", "row_sum")
MALFORMED = b'{"task": "relu", "code": 7}'
UNKNOWN = b'{"task": "no_such_task", "code": "class ModelNew: pass"}'
# Kills happen as soon as these steps have a plan.
KILLED_IN = ("recall", "select")


def samples():
    """(task, message, finish_reason): three right answers to one task, two of which may be trained
    and have the same structure, and wrong ones to both tasks."""
    def message(name, change=lambda code: code):
        task, code = verify_run.read_answer(name)
        return task, f"The kernel follows.\n\n```python\n{change(code)}```\n"

    again = ("__global__", "// Written again.\n__global__")
    return [
        (*message("honest/relu.md"), "stop"),
        (*message("honest/relu.md", lambda code: code.replace(*again, 1)), "stop"),
        (*message("honest/relu.md"), "length"),
        (*message("native_cheats/does_not_compile.py"), "stop"),
        (*message("cheats/torch_function.py"), "stop"),
        ("relu", "I cannot do that.", "stop"),
        (*message("cheats/python_sum.py"), "stop"),
    ]


def plain(task, message, finish_reason, attempt, sample_id):
    return {"task": task, "message": message, "finish_reason": finish_reason, "id": sample_id,
            "attempt": attempt, "model": "toy-7b"}


def openai(task, message, finish_reason, attempt, sample_id):
    choice = {"index": 0, "message": {"role": "assistant", "content": message},
              "finish_reason": finish_reason}
    body = {"model": "toy-7b", "choices": [choice]}
    return {"id": sample_id, "custom_id": f"{task}:cuda:{attempt}", "error": None,
            "response": {"status_code": 200, "request_id": sample_id, "body": body}}


def write_samples(path, form, more=(), order=lambda lines: lines):
    lines = []
    for attempt, (task, message, finish_reason) in enumerate(samples()):
        line = form(task, message, finish_reason, attempt, f"sample-{attempt}")
        lines.append(json.dumps(line).encode())
    path.write_bytes(b"\n".join(order([*lines, *more])) + b"\n")


class Rft(program.EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="kernelmill-rft-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        # Verdicts are shared between the tests through the store of this root.
        cls.environment = verify_run.own_root(cls.shared)
        cls.tasks = cls.shared / "tasks.jsonl"
        with cls.tasks.open("w") as file:
            for name in TASKS:
                reference = (verify_run.FILES / f"tasks/{name}.py").read_text()
                file.write(json.dumps({"name": name, "reference": reference, "licence": "MIT"}))
                file.write("\n")
        cls.lines = cls.shared / "samples.jsonl"
        write_samples(cls.lines, plain, [MALFORMED, UNKNOWN])
        cls.base = cls.shared / "base"
        cls.manifest = cls.build_rft(cls, cls.base, cls.configure(cls, cls.lines), "--jobs", 2)

    def configure(self, file, tasks=None, **keys):
        path = pathlib.Path(tempfile.mkdtemp(dir=self.shared)) / "rft.yaml"
        tasks = tasks or {"file": str(self.tasks)}
        path.write_text(json.dumps({"seed": 7, "tasks": [tasks], "samples": [{"file": str(file)}],
                                    **keys}))
        return path

    def build_rft(self, output, configuration, *options):
        jobs = () if "--jobs" in options else ("--jobs", 1)
        done = program.run("rft", configuration, "--output", output, "--quiet", "--json", *jobs,
                           *options, environment=self.environment)
        if done.returncode != program.DONE:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)

    def rows(self, dataset):
        return [json.loads(line) for path in sorted((dataset / "data").glob("*.jsonl"))
                for line in path.read_text().splitlines()]

    def test_dataset_is_sound_and_counts_add_up(self):
        self.assertEqual(self.audit(self.base), ("consistent", []))
        for step, counts in self.manifest["counts"].items():
            ended = [sum(counts[fate].values()) for fate in ("dropped", "rejected")]
            self.assertEqual(counts["in"], counts["kept"] + sum(ended), step)
        counts = self.manifest["counts"]
        self.assertEqual(counts["join"]["in"], len(samples()) + 2)
        self.assertEqual(counts["join"]["rejected"], {"bad_sample": 1, "unknown_task": 1})
        self.assertEqual(counts["select"]["in"], len(samples()))
        self.assertEqual(counts["select"]["rejected"], {"cut_off": 1})

    def test_malformed_lines_are_quarantined_with_their_bytes(self):
        rejected = [line["rejected"] for line in self.verdicts(self.base) if "rejected" in line]
        self.assertEqual({(one["reason"], one["text"].encode()) for one in rejected},
                         {("bad_sample", MALFORMED), ("unknown_task", UNKNOWN)})
        self.assertIn("quarantine/join.mdb", [file["path"] for file in self.manifest["files"]])

    def test_rows_name_their_model_and_lead_to_its_lines(self):
        rows = self.rows(self.base)
        self.assertEqual(sorted(row["family"] for row in rows), ["repair", "translate"])
        for row in rows:
            self.assertNotIn("contaminated", row)
            self.assertTrue(any("model=toy-7b" in origin for origin in row["origins"]), row)
        translate = next(row for row in rows if row["family"] == "translate")
        self.assertTrue(translate["pool_id"] and translate["cluster_id"])
        done = program.run("trace", self.base, translate["content_id"], "--json")
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        traced = json.loads(done.stdout)["records"]
        self.assertEqual({record["kind"] for record in traced},
                         {"training", "task", "annotation", "candidate", "sample"})
        places = [place for record in traced for place in record.get("places", [])]
        lines = self.lines.read_text().splitlines()
        for place in places:
            self.assertEqual(place["file"], "samples.jsonl")
            self.assertIn("Written again" if "Written again" in translate["messages"][-1]["content"]
                          else "The kernel follows", lines[place["line"] - 1])
        self.assertTrue(places)

    def test_the_python_reader_gives_the_same_rows(self):
        reader = kernelmill.Dataset(str(self.base))
        read = {row["content_id"]: row for row in reader}
        self.assertEqual(read, {row["content_id"]: row for row in self.rows(self.base)})

    def test_samples_are_scored(self):
        done = program.run("score", self.base, "--json")
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        scores = json.loads(done.stdout)
        self.assertEqual((scores["all"]["tasks"], scores["malformed"]), (2, 2))
        self.assertEqual(json.loads((self.base / "scores.json").read_text())["all"], scores["all"])

    def test_format_order_and_jobs_do_not_matter(self):
        other = self.folder / "other.jsonl"
        write_samples(other, openai, order=lambda lines: lines[::-1])
        manifest = self.build_rft(self.folder / "openai", self.configure(other), "--jobs", 1)
        self.assertEqual(manifest["merkle_root"], self.manifest["merkle_root"])

    def test_samples_of_an_endpoint_are_selected_alike(self):
        written = {name: [one[1:] for one in samples() if one[0] == name] for name in TASKS}

        def reply(exchange, body):
            """The samples as choices, in their order."""
            choices = [{"index": i, "finish_reason": finish_reason,
                        "message": {"role": "assistant", "content": content}}
                       for i, (content, finish_reason) in
                       enumerate(written[body["messages"][0]["content"]][:body.get("n", 1)])]
            exchange.send(200, json.dumps({"model": body["model"], "choices": choices}).encode())

        server = chat_server.ChatServer(self)
        server.default = reply
        server.replies["refused"] = [chat_server.status(400)] * 2
        prompts, output = self.folder / "prompts.jsonl", self.folder / "asked.jsonl"
        with prompts.open("w") as file:
            for name in (*TASKS, "refused"):
                body = {"model": "toy-7b", "n": len(written.get(name, "nn")),
                        "messages": [{"role": "user", "content": name}]}
                file.write(json.dumps({"custom_id": f"{name}:cuda", "body": body}) + "\n")
        done = program.run("sample", prompts, "--endpoint", server.url, "--temperature", 0.7,
                           "--output", output, environment={"http_proxy": ""})
        self.assertEqual(done.returncode, program.NEGATIVE, done.stderr)
        dataset = self.folder / "asked"
        manifest = self.build_rft(dataset, self.configure(output))
        self.assertEqual(manifest["counts"]["join"]["rejected"], {"request_failed": 1})
        self.assertEqual(manifest["counts"]["select"], self.manifest["counts"]["select"])
        rows = self.rows(dataset)
        self.assertEqual([row["messages"][-1] for row in rows if row["family"] == "translate"],
                         [row["messages"][-1] for row in self.rows(self.base)
                          if row["family"] == "translate"])
        for row in rows:
            self.assertTrue(any('model=toy-7b;sampling={"temperature":0.7}' in origin
                                for origin in row["origins"]), row["origins"])
            # The prompt that the model was really given.
            if row["family"] == "translate":
                self.assertIn(row["messages"][0]["content"], TASKS)

    def test_killed_and_resumed(self):
        output, configuration = self.folder / "killed", self.configure(self.lines)
        for step in KILLED_IN:
            process = program.start("rft", configuration, "--output", output, "--jobs", 1,
                                    env={**os.environ, **self.environment})
            plan = output / ".run/steps" / step / "plan.json"
            while not plan.exists() and process.poll() is None:
                time.sleep(0.01)
            program.kill_group(process)
            process.communicate()
            self.assertFalse((output / "manifest.json").exists(), step)
        manifest = self.build_rft(output, configuration)
        self.assertEqual(manifest["merkle_root"], self.manifest["merkle_root"])
        self.assertEqual(self.audit(output), ("consistent", []))

    def test_protected_problems_are_judged_and_not_trained(self):
        checkout, run = verify_run.lay_out(self.folder, ["honest/relu.md"])
        configuration = self.configure(run, {"kernelbench": str(checkout)})
        output = self.folder / "protected"
        manifest = self.build_rft(output, configuration)
        self.assertNotIn("contaminated", manifest)
        self.assertEqual((self.rows(output), len(self.verdicts(output))), ([], 1))
        self.assertEqual(manifest["counts"]["select"]["dropped"], {"protected": 1})

        output = self.folder / "allowed"
        manifest = self.build_rft(output, configuration, "--allow-protected")
        self.assertIs(manifest["contaminated"], True)
        self.assertEqual([row["contaminated"] for row in self.rows(output)], [True])
        self.assertIn("contaminated", (output / "README.md").read_text())
        self.assertEqual(self.audit(output), ("consistent", []))

    def verdicts(self, dataset):
        return [json.loads(line) for line in (dataset / "verdicts.jsonl").read_text().splitlines()]


if __name__ == "__main__":
    unittest.main()
