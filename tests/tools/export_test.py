"""Exports a dataset for every trainer and compares what the trainer trains, by the rule that it
documents, with the dataset's own rows. bench/trainer_loaders.py does the same with the trainers'
own code."""

import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"

import datasets  # noqa: E402
import pyarrow.parquet  # noqa: E402

from small_dataset import BINARY, build_dataset, run  # noqa: E402


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def setUpModule():
    global scratch, dataset, rows
    scratch = tempfile.TemporaryDirectory()
    dataset = build_dataset(pathlib.Path(scratch.name))
    rows = {row["content_id"]: row for split in ("train", "validation")
            for row in lines_of(dataset / f"data/{split}.jsonl")}


def tearDownModule():
    scratch.cleanup()


def exported(name, *options):
    """Exports once for each name and options; the folder."""
    folder = pathlib.Path(scratch.name, "-".join([name, *map(str, options)]))
    if not folder.exists():
        run(BINARY, "export", dataset, "--format", name, "--output", folder, *options)
    return folder


def rows_of(folder):
    return [row for path in sorted((folder / "data").iterdir())
            for row in (pyarrow.parquet.read_table(path).to_pylist()
                        if path.suffix == ".parquet" else lines_of(path))]


def parts_of(row):
    """The reasoning of a row's answer, or "", and the rest of it."""
    answer = row["messages"][-1]["content"]
    code = re.search(r"(?:\A|\n)(`{3,})python\n(?:(?!\1\n).*\n)*\1\n\Z", answer)
    if row["reasoning"] == "none" or not code:
        return "", answer
    return answer[:code.start(1)].rstrip("\n"), answer[code.start(1):]


def thinking(row):
    reasoning, content = parts_of(row)
    return f"<think>\n{reasoning}\n</think>\n\n{content}" if reasoning else content


def assistants(row):
    return [message for message in row["messages"] if message["role"] == "assistant"]


# What a trainer trains of an exported row: a list of texts.
TRAINED = {
    "trl": lambda row: [message["content"] for message in row["completion"]],
    "verl": lambda row: [message["content"] for message in assistants(row)],
    # With mask_history.
    "llamafactory": lambda row: [assistants(row)[-1]["content"]],
    "axolotl": lambda row: [(message["reasoning_content"], message["content"])
                            for message in row["messages"] if message["train"]],
    "swift": lambda row: [message["content"] for message in assistants(row)
                          if message["loss"]],
    "resampled": lambda row: [message["content"] for message in row["messages"] if message["loss"]],
}
EXPECTED = {"verl": lambda row: row["messages"][-1]["content"], "axolotl": parts_of,
            "resampled": lambda row: row["messages"][-1]["content"]}


class Turns(unittest.TestCase):
    def test_the_dataset_has_what_is_tested(self):
        self.assertTrue([row for row in rows.values() if row["n_turns"] > 1])
        self.assertTrue([row for row in rows.values() if parts_of(row)[0]])

    def test_exactly_the_last_answer_is_trained(self):
        for name, trained in TRAINED.items():
            expected = EXPECTED.get(name, thinking)
            for row in rows_of(exported(name)):
                with self.subTest(name, row=row["content_id"]):
                    self.assertEqual(trained(row), [expected(rows[row["content_id"]])])

    def test_every_row_is_there_once(self):
        for name in TRAINED:
            if name != "resampled":
                found = rows_of(exported(name))
                # Rows of weight 0 are not for training.
                self.assertEqual(
                    sorted(row["content_id"] for row in found),
                    sorted(content_id for content_id, row in rows.items()
                           if row["weight"] > 0 or row["split"] != "train"), name)
                self.assertEqual({row["copy"] for row in found}, {0})

    def test_the_question_has_every_earlier_message(self):
        for name in TRAINED:
            for row in rows_of(exported(name)):
                before = row.get("prompt") or row["messages"][:-1]
                own = rows[row["content_id"]]["messages"][:-1]
                text = "\n".join(message["content"] for message in before)
                for message in own:
                    self.assertIn(message["content"], text)
                if name == "verl":
                    self.assertEqual([message["role"] for message in before
                                      if message["role"] != "system"], ["user"])
                else:
                    self.assertEqual([(m["role"], m["content"]) for m in before],
                                     [(m["role"], m["content"]) for m in own])

    def test_the_plain_rows_mark_the_last_message(self):
        for row in rows.values():
            self.assertEqual([message["loss"] for message in row["messages"]],
                             [False] * (len(row["messages"]) - 1) + [True])
            self.assertEqual(row["prompt"] + row["completion"],
                             [{"role": m["role"], "content": m["content"]} for m in row["messages"]])
            self.assertEqual(len(row["completion"]), 1)

    def test_copies_follow_the_weight(self):
        for name in ("resampled", "llamafactory"):
            options = ["--seed", 5] + (["--resample"] if name != "resampled" else [])
            folder = exported(name, *options)
            copies = {}
            for row in lines_of(folder / "data/train.jsonl"):
                copies.setdefault(row["content_id"], []).append(row["copy"])
                self.assertEqual(row["weight"], 1)
            for content_id, row in rows.items():
                found = copies.get(content_id, [])
                if row["split"] == "train":
                    self.assertEqual(found, list(range(len(found))))
                    self.assertLess(abs(len(found) - row["weight"]), 1)
        drawn = [{(row["content_id"], row["copy"])
                  for row in lines_of(exported("resampled", "--seed", seed) / "data/train.jsonl")}
                 for seed in range(4)]
        self.assertGreater(len(set(map(frozenset, drawn))), 1)

    def test_swift_gets_the_weight(self):
        for row in rows_of(exported("swift")):
            self.assertEqual(row["messages"][-1]["loss_scale"],
                             rows[row["content_id"]]["weight"])


class Questions(unittest.TestCase):
    def test_one_row_a_task(self):
        tasks = {row["task_id"] for row in rows.values()}
        for name in ("trl-rl", "verl-rl", "prompts"):
            found = rows_of(exported(name))
            ids = [(row.get("extra_info") or row).get("task_id") or row["custom_id"].split(":")[0]
                   for row in found]
            self.assertEqual(sorted(ids), sorted(tasks), name)

    def test_rewards_get_what_the_verifier_asks_for(self):
        texts = {row["task_id"]: row["task"] for row in rows_of(exported("trl-rl"))}
        for row in rows_of(exported("verl-rl", "--backend", "cuda,musa")):
            extra = row["extra_info"]
            self.assertEqual(row["reward_model"]["ground_truth"], texts[extra["task_id"]])
            self.assertEqual(extra["target"], {"cuda": "sm_80", "musa": "mp_31"}[extra["backend"]])
            self.assertEqual(extra["contract"].count(","), 2)

    def test_answers_to_prompts_are_judged_as_answers_to_their_tasks(self):
        folder = exported("prompts", "--requests", "vllm")
        output = pathlib.Path(scratch.name, "answers")
        with open(f"{output}.jsonl", "w", encoding="utf-8") as file:
            for request in rows_of(folder)[:3]:
                choice = {"index": 0, "message": {"role": "assistant", "content": "No code."}}
                file.write(json.dumps({"id": "vllm-1", "custom_id": request["custom_id"],
                                       "response": {"status_code": 200,
                                                    "body": {"choices": [choice]}},
                                       "error": None}) + "\n")
        subprocess.run([BINARY, "verify", "--tasks", dataset, "--candidates", f"{output}.jsonl",
                        "--output", output], capture_output=True, check=False)
        verdicts = lines_of(output / "verdicts.jsonl")
        self.assertEqual([line["task"] for line in verdicts],
                         [row["custom_id"].split(":")[0] for row in rows_of(folder)[:3]])
        self.assertEqual({line["verdict"]["gate"] for line in verdicts}, {"extract"})

    def test_conversations_end_with_a_question(self):
        found = rows_of(exported("prompts", "--multi-turn", "--backend", "cuda,musa"))
        names = [row["custom_id"] for row in found]
        self.assertEqual(len(names), len(set(names)))
        conversations = [row for row in found if ":t" in row["custom_id"]]
        # No conversation goes on with an attempt of the model's own, nor with another conversation.
        attempts = collections.Counter()
        for name in names:
            task, backend, *rest = name.split(":")
            attempts[task, backend, int(rest[0]) if rest else 0] += 1
        self.assertEqual(max(attempts.values()), 1)
        self.assertEqual(len(conversations),
                         sum(row["family"] == "repair" for row in rows.values()))
        for row in conversations:
            self.assertEqual(row["body"]["messages"][-1]["role"], "user")


class Files(unittest.TestCase):
    def test_open_in_datasets(self):
        for name in [*TRAINED, "trl-rl", "verl-rl", "prompts"]:
            for path in (exported(name) / "data").iterdir():
                kind = "parquet" if path.suffix == ".parquet" else "json"
                with tempfile.TemporaryDirectory() as cache:
                    loaded = datasets.load_dataset(kind, data_files=str(path), cache_dir=cache)
                    self.assertGreater(len(loaded["train"]), 0)

    def test_two_exports_are_equal(self):
        for name in [*TRAINED, "trl-rl", "verl-rl", "prompts"]:
            again = pathlib.Path(scratch.name, f"{name}.again")
            run(BINARY, "export", dataset, "--format", name, "--output", again)
            for path in exported(name).rglob("*"):
                if path.is_file():
                    self.assertEqual(path.read_bytes(),
                                     (again / path.relative_to(exported(name))).read_bytes())

    def refused(self, *words):
        """The message of an export that is wrong use."""
        output = pathlib.Path(scratch.name, "never")
        given = ["--output", output] if "--output" not in words else []
        done = subprocess.run([BINARY, "export", *words, *given], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""), (words, done.stderr))
        self.assertFalse(output.exists())
        return done.stderr

    def test_options_that_do_not_fit_are_refused(self):
        sampling = (("--requests", "vllm"), ("--model", "m"), ("--samples", "2"),
                    ("--temperature", "1"), ("--top-p", "1"), ("--max-tokens", "9"))
        questions = (("--backend", "musa"), ("--multi-turn",), ("--retries",))
        turns = (("--resample",), ("--fold-history",))
        parquet = ("--rows-per-parquet-file", "5")
        seed = ("--seed", "1")
        for name, options in (("trl", (*sampling, *questions, parquet, seed)),
                              ("resampled", (*sampling, *questions, parquet)),
                              ("trl-rl", (*sampling, *turns, parquet)),
                              ("prompts", (*turns, parquet)),
                              ("jsonl", (*sampling, *questions, *turns, parquet, seed)),
                              ("parquet", (*sampling, *questions, *turns, seed))):
            for option in options:
                with self.subTest(name, option=option):
                    self.assertIn(f"{option[0]} does not fit",
                                  self.refused(dataset, "--format", name, *option))
        for option in (("--backend", "musa"), ("--multi-turn",), seed):
            self.assertIn(f"{option[0]} does not fit",
                          self.refused(dataset, "--format", "prompts", "--retries", *option))

    def test_a_file_is_no_folder(self):
        copy = pathlib.Path(scratch.name, "file")
        copy.write_text("mine")
        self.assertIn("is no folder",
                      self.refused(dataset, "--format", "trl", "--output", copy))
        self.assertIn("holds no manifest.json", self.refused(copy, "--format", "trl"))
        self.assertEqual(copy.read_text(), "mine")

    def test_a_folder_with_rows_is_refused(self):
        folder = exported("trl")
        done = subprocess.run([BINARY, "export", dataset, "--format", "swift", "--output", folder],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("exists already; name another folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
