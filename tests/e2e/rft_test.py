"""Builds RFT datasets from samples: every format and order of the same samples gives the same
dataset, malformed lines are quarantined, counts add up, a killed build is resumed, problems of a
protected benchmark give verdicts and no rows, and a second round goes on with the retry buffer of
the first."""

import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

import chat_server
import forger
import program
import purged_samples
import verify_run

sys.path.insert(0, str(program.ROOT / "tools/python"))
import kernelmill  # noqa: E402

TASKS = ("relu", "row_sum")
MALFORMED = b'{"task": "relu", "code": 7}'
UNKNOWN = b'{"task": "no_such_task", "code": "class ModelNew: pass"}'
# Kills happen as soon as these steps have a plan.
KILLED_IN = ("recall", "buffer", "select")
# Every task that fails enters the retry buffer, and every repair is asked for.
RETRY = {"min_scored": 1, "max_probability": 1, "full_at": 1}


def message(name, change=lambda code: code):
    """The task of an answer, and what a model writes that gives it."""
    task, code = verify_run.read_answer(name)
    return task, f"The kernel follows.\n\n```python\n{change(code)}```\n"


def samples():
    """(task, message, finish_reason): three right answers to one task, two of which may be trained
    and have the same structure, and wrong ones to both tasks."""
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


def openai(task, message, finish_reason, attempt, sample_id, custom_id=None):
    choice = {"index": 0, "message": {"role": "assistant", "content": message},
              "finish_reason": finish_reason}
    body = {"model": "toy-7b", "choices": [choice]}
    return {"id": sample_id, "custom_id": custom_id or f"{task}:cuda:{attempt}",
            "error": None,
            "response": {"status_code": 200, "request_id": sample_id, "body": body}}


def write_samples(path, form, more=(), order=lambda lines: lines):
    lines = []
    for attempt, (task, message, finish_reason) in enumerate(samples()):
        line = form(task, message, finish_reason, attempt, f"sample-{attempt}")
        lines.append(json.dumps(line).encode())
    path.write_bytes(b"\n".join(order([*lines, *more])) + b"\n")


def write_tasks(path):
    with path.open("w") as file:
        for name in TASKS:
            reference = (verify_run.FILES / f"tasks/{name}.py").read_text()
            file.write(json.dumps({"name": name, "reference": reference, "licence": "MIT"}) + "\n")
    return path


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def retry_files(dataset):
    return {path.name: path.read_bytes() for path in (dataset / "retry").iterdir()}


class Rft(program.EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="kernelmill-rft-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        # Verdicts are shared between the tests through the store of this root.
        cls.environment = verify_run.own_root(cls.shared)
        cls.tasks = write_tasks(cls.shared / "tasks.jsonl")
        cls.lines = cls.shared / "samples.jsonl"
        write_samples(cls.lines, plain, [MALFORMED, UNKNOWN])
        cls.base = cls.shared / "base"
        cls.manifest = cls.build_rft(cls.base, cls.configure(cls.lines), "--jobs", 2)
        cls.second = cls.shared / "second"
        cls.second_manifest = cls.build_rft(cls.second, cls.second_round(cls.base),
                                            "--round", 2, "--jobs", 2)

    @classmethod
    def configure(cls, file, tasks=None, retry=None, **keys):
        path = pathlib.Path(tempfile.mkdtemp(dir=cls.shared)) / "rft.yaml"
        tasks = tasks or {"file": str(cls.tasks)}
        path.write_text(json.dumps({"seed": 7, "tasks": [tasks], "samples": [{"file": str(file)}],
                                    "retry": {**RETRY, **(retry or {})}, **keys}))
        return path

    @classmethod
    def build_rft(cls, output, configuration, *options):
        jobs = () if "--jobs" in options else ("--jobs", 1)
        done = program.run("rft", configuration, "--output", output, "--quiet", "--json", *jobs,
                           *options, environment=cls.environment)
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

    def test_a_task_is_purged_with_its_samples(self):
        task = next(row["task_id"] for row in self.rows(self.base))
        answers = sum(name == "relu" for name, _, _ in samples())
        purged_samples.check(self, task, answers, b"fmaxf")

    def test_malformed_lines_are_quarantined_with_their_bytes(self):
        rejected = [line["rejected"] for line in self.verdicts(self.base) if "rejected" in line]
        self.assertEqual({(one["reason"], one["text"].encode()) for one in rejected},
                         {("bad_sample", MALFORMED), ("unknown_task", UNKNOWN)})
        self.assertTrue(pathlib.Path(f"{self.base}.quarantine", "join.mdb").is_file())

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
        self.assertEqual(retry_files(self.folder / "openai"), retry_files(self.base))

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

    def test_tasks_of_a_configuration_are_asked_about(self):
        server = chat_server.ChatServer(self)
        references = {name: (verify_run.FILES / f"tasks/{name}.py").read_text() for name in TASKS}

        def reply(exchange, body):
            """A right answer, chosen by the reference in the prompt."""
            name, = (one for one in TASKS if references[one].strip() in
                     body["messages"][-1]["content"])
            choice = {"index": 0, "finish_reason": "stop",
                      "message": {"role": "assistant", "content": message(f"honest/{name}.md")[1]}}
            exchange.send(200, json.dumps({"model": body["model"], "choices": [choice]}).encode())

        server.default = reply
        tasks, output = self.folder / "tasks.jsonl", self.folder / "samples.jsonl"
        failing = "import torch\n\nclass Model(torch.nn.Module):\n    pass\n"
        lines = [json.dumps({"reference": text}) for text in [*references.values(), failing]]
        tasks.write_text("\n".join(lines))
        # The samples that it names are those that are asked for here.
        configuration = self.configure(output, {"file": str(tasks)})

        def sample():
            done = program.run("sample", configuration, "--endpoint", server.url, "--model", "toy-7b",
                               "--jobs", 1, "--output", output, "--json",
                               environment={**self.environment, "http_proxy": ""})
            self.assertEqual(done.returncode, program.DONE, done.stderr)
            return json.loads(done.stdout), done.stderr

        summary, said = sample()
        self.assertEqual((summary["prompts"], summary["run"]["answered"]), (2, 2))
        self.assertRegex(said, r"no question about .*tasks\.jsonl.*row=3: \w+")
        manifest = self.build_rft(self.folder / "dataset", configuration)
        self.assertEqual(manifest["counts"]["join"]["kept"], 2)
        # The question comes last, perhaps after a system message.
        asked = {body["messages"][-1]["content"] for body in server.bodies()}
        self.assertEqual({row["messages"][-2]["content"] for row in self.rows(self.folder / "dataset")},
                         asked)
        # The same command asks nothing more; with other tasks it begins anew.
        self.assertEqual(sample()[0]["requests"], 0)
        tasks.write_text("\n".join(lines[:1]))
        summary, said = sample()
        self.assertEqual((summary["prompts"], summary["requests"]), (1, 0))
        self.assertNotIn("no question", said)

    def conversations(self):
        """Lines of two conversations about one task: the second answer of one is right, the other
        has only a wrong one. And the same lines with the log-probs of a policy that has drifted away
        from the last."""
        right, wrong = message("honest/relu.md"), message("native_cheats/does_not_compile.py")
        lines = [{**plain(*wrong, "stop", 0, "a"), "turn": 1},
                 {**plain(*right, "stop", 0, "b"), "turn": 2},
                 {**plain(wrong[0], wrong[1] + "Again.", "stop", 1, "c"), "turn": 1}]

        def scored(line, drift):
            tokens = [{"token": word, "token_id": i, "logprob": -1 - drift * (-1) ** i}
                      for i, word in enumerate(("a", "b", "c", "d"))]
            return {**line, "logprobs": tokens, "sampling": {"temperature": 1.0}}

        return ([scored(line, 0) for line in lines],
                [scored(line, drift) for line, drift in zip(lines, (0.05, 0.05, 0.5))])

    def test_conversations_are_rewarded_and_drifted_ones_masked(self):
        rollout, policy = self.folder / "rollout.jsonl", self.folder / "policy.jsonl"
        for path, lines in zip((rollout, policy), self.conversations()):
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        output = self.folder / "rewarded"
        self.build_rft(output, self.configure(rollout, reward={
            "policy_log_probs": str(policy), "policy_mode": "raw", "rollout_mode": "raw"}))
        first, second = read_lines(output / "rewards.jsonl")
        # 0.75 · -1 + 0.25 · 1 + b2, and -1.
        self.assertAlmostEqual(first["turns"][0]["value"], -0.4)
        self.assertEqual([turn["trained"] for turn in first["turns"]], [True, False])
        self.assertEqual(second["turns"][0]["value"], -1)
        masks = [turn["mask"] for line in (first, second) for turn in line["turns"]]
        self.assertEqual([mask["state"] for mask in masks], ["kept", "kept", "masked"])
        for mask, d in zip(masks, (0.05, 0.05, 0.5)):
            self.assertAlmostEqual(mask["d"], d)
        rewards = json.loads((output / "rewards.json").read_text())
        group, = rewards["groups"]
        self.assertEqual((group["responses"], group["masked"]), (2, 1))
        self.assertAlmostEqual(group["mean"], -0.7)
        self.assertEqual(rewards["drift"]["masked"]["responses"], 1)
        self.assertEqual(self.audit(output), ("consistent", []))
        # A value that does not follow from the verdicts is found, also with a manifest that fits.
        path = output / "rewards.jsonl"
        path.write_text(path.read_text().replace('"value":-1', '"value":-2', 1))
        forger.cover_tracks(output)
        verdict, findings = self.audit(output)
        self.assertEqual((verdict, [file for file, _, _ in findings]),
                         ("damaged", ["rewards.jsonl"]))

    def test_killed_and_resumed(self):
        output, configuration = self.folder / "killed", self.second_round(self.base)
        for step in KILLED_IN:
            self.kill_in(step, output, configuration)
        # It goes on with the retry buffer that it began with only.
        self.refuse(self.second_round(), output, "retry buffer changed")
        manifest = self.build_rft(output, configuration)
        self.assertEqual(manifest["files"], self.second_manifest["files"])
        self.assertEqual(manifest["merkle_root"], self.second_manifest["merkle_root"])
        self.assertEqual(self.audit(output), ("consistent", []))

    def kill_in(self, step, output, configuration):
        """Starts a build, and kills it as soon as the step has a plan."""
        process = program.start("rft", configuration, "--output", output, "--jobs", 1,
                                env={**os.environ, **self.environment})
        plan = output / ".run/steps" / step / "plan.json"
        while not plan.exists() and process.poll() is None:
            time.sleep(0.01)
        program.kill_group(process)
        process.communicate()
        self.assertFalse((output / "manifest.json").exists(), step)

    def test_every_failed_task_is_one_item_of_the_retry_buffer(self):
        items = read_lines(self.base / "retry/items.jsonl")
        statuses = {}
        for line in self.verdicts(self.base):
            if "verdict" in line:
                statuses.setdefault(line["task"], set()).add(line["verdict"]["status"])
        failed = [task for task, found in statuses.items() if "correct" not in found]
        self.assertEqual([(one["task"], one["fate"], one["reason"]) for one in items],
                         [(task, "kept", "entered") for task in failed])
        counts = self.manifest["counts"]["buffer"]
        self.assertEqual((counts["in"], counts["kept"]), (len(failed), len(failed)))
        prompts = read_lines(self.base / "retry/prompts.jsonl")
        self.assertEqual([one["task"] for one in prompts], failed)
        # A system message may come first.
        self.assertEqual([one["role"] for one in prompts[0]["messages"]][-3:],
                         ["user", "assistant", "user"])

    def test_retries_are_exported_as_requests(self):
        done = program.run("export", self.base, "--format", "prompts", "--retries", "--samples", 4,
                           "--output", self.folder / "ask")
        self.assertEqual(done.returncode, program.DONE, done.stderr)
        asked = read_lines(self.folder / "ask/data/retry.jsonl")
        prompts = read_lines(self.base / "retry/prompts.jsonl")
        self.assertEqual([(one["custom_id"], one["body"]["messages"]) for one in asked],
                         [(one["custom_id"].replace(":t2", ":0:t2"), one["messages"])
                          for one in prompts])

    @classmethod
    def second_round(cls, previous=None, **retry):
        """The configuration of a round that answers the repair prompt of the first one rightly."""
        prompt, = read_lines(cls.base / "retry/prompts.jsonl")
        task, right = message("honest/row_sum.md")
        wrong = message("native_cheats/does_not_compile.py")
        lines = [openai(task, right, "stop", 0, "a", prompt["custom_id"]),
                 openai(*wrong, "stop", 0, "b"),
                 openai(task, right, "stop", 0, "c", prompt["custom_id"][:-12] + 12 * "0")]
        path = pathlib.Path(tempfile.mkdtemp(dir=cls.shared)) / "second.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        if previous is not None:
            retry["previous"] = str(previous)
        return cls.configure(path, retry=retry)

    def test_a_second_round_goes_on(self):
        output, counts = self.second, self.second_manifest["counts"]
        self.assertEqual(self.audit(output), ("consistent", []))
        self.assertEqual(counts["join"]["rejected"], {"another_round": 1})
        self.assertEqual((counts["buffer"]["kept"], counts["buffer"]["dropped"]), (1, {"solved": 1}))
        self.assertEqual(sorted((one["fate"], one["reason"])
                                for one in read_lines(output / "retry/items.jsonl")),
                         [("graduated", "solved"), ("kept", "entered")])
        # The repair is a row of a conversation: what was asked, and the right answer.
        row, = self.rows(output)
        prompt, = read_lines(self.base / "retry/prompts.jsonl")
        self.assertEqual((row["family"], row["turn"], row["n_turns"]), ("repair", 2, 2))
        self.assertEqual([one["content"] for one in row["messages"][:-1]],
                         [one["content"] for one in prompt["messages"]])
        self.assertEqual([one["loss"] for one in row["messages"]],
                         [False] * len(prompt["messages"]) + [True])
        # The scores are of answers that saw no verdict.
        self.assertEqual(json.loads((output / "scores.json").read_text())["all"]["samples"], 1)

    def refuse(self, configuration, output, words, *options, code=program.WRONG_USE):
        done = program.run("rft", configuration, "--output", output, "--jobs", 1, *options,
                           environment=self.environment)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)

    def test_a_round_takes_the_buffer_of_the_round_before(self):
        output = self.folder / "refused"
        for words, configuration, number in [
                ("the retry buffer of round 1; name the dataset", self.second_round(), 2),
                ("not round 1", self.second_round(self.base), 1),
                ("not round 3", self.second_round(self.base), 3),
                ("not round 3", self.second_round(self.base, round=3), None),
                ("no manifest.json", self.second_round(self.folder), 2)]:
            options = () if number is None else ("--round", number)
            self.refuse(configuration, output, words, *options)
        self.assertFalse(output.exists())

    def test_a_changed_buffer_is_found(self):
        for name in sorted(path.name for path in (self.base / "retry").iterdir()):
            changed = self.folder / name
            shutil.copytree(self.base, changed)
            path = changed / "retry" / name
            path.write_text(path.read_text().replace("a", "b", 1))
            found = "retry/" + name
            self.refuse(self.second_round(changed), self.folder / "refused", found,
                        code=program.NEGATIVE)
            verdict, findings = self.audit(changed)
            self.assertEqual(verdict, "damaged")
            self.assertIn(found, [file for file, _, _ in findings])
            # Also by one who writes the manifest anew.
            forger.cover_tracks(changed)
            verdict, findings = self.audit(changed)
            self.assertEqual((verdict, findings[0][0]), ("damaged", "retry"), name)

    def rederive(self, dataset, records):
        """The verdict and the findings of `audit --rederive`, and what became of retry/."""
        done = program.run("audit", dataset, "--rederive", records, "--jobs", 2, "--json",
                           environment=self.environment)
        self.assertTrue(done.stdout, done.stderr)
        report = json.loads(done.stdout)
        findings = report["findings"] + report["rederived"]["findings"]
        self.assertEqual(done.returncode, program.NEGATIVE if findings else program.DONE)
        return report["rederived"]["retry"], [(one["file"], one["record"]) for one in findings]

    def test_the_retry_buffer_is_built_again(self):
        # The second round's buffer also holds what the first has left.
        self.assertEqual(self.rederive(self.second, 100), ("identical", []))

    def test_a_changed_byte_that_fits_every_hash_is_found_and_named(self):
        changed = self.folder / "changed"
        shutil.copytree(self.base, changed)
        retry = changed / "retry"
        for name, old, new in [("prompts.jsonl", "sum(x.unbind(1))", "sum(x.unbind(0))"),
                               ("records.jsonl", '"spdx":"MIT"', '"spdx":"MIX"'),
                               ("round.json", '"slots": 2', '"slots": 3')]:
            text = (retry / name).read_text()
            self.assertIn(old, text)
            (retry / name).write_text(text.replace(old, new, 1))
        listed = json.loads((retry / "round.json").read_text())
        for name in listed["files"]:
            listed["files"][name] = hashlib.sha256((retry / name).read_bytes()).hexdigest()
        (retry / "round.json").write_text(json.dumps(listed, sort_keys=True, indent=2) + "\n")
        forger.cover_tracks(changed)
        self.assertEqual(self.audit(changed), ("consistent", []))
        result, findings = self.rederive(changed, 100)
        self.assertEqual((result, [file for file, _ in findings]),
                         ("different", ["retry/prompts.jsonl", "retry/records.jsonl",
                                        "retry/round.json"]))
        for _, place in findings:
            self.assertRegex(place, r"^line [1-9]\d*$")
        # Where not all records are built again, those of retry/ are compared by themselves.
        result, findings = self.rederive(changed, 3)
        self.assertEqual((result, [file for file, _ in findings]),
                         ("not_built_again", ["retry/records.jsonl"]))

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
        return read_lines(dataset / "verdicts.jsonl")


if __name__ == "__main__":
    unittest.main()
