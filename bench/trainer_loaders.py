"""Loads exports of a dataset with the trainers' own code and compares what they would train with
what the dataset says, under the chat templates of Qwen2.5 and of Qwen3, which has a place for
<think>. Then each trainer trains a tiny model with random weights for some steps.

    python bench/trainer_loaders.py DATASET [TRAINER…] --venvs FOLDER [--rows N] [--steps N] [--install]

Each trainer runs in FOLDER/TRAINER; --install makes it with pip, from PyPI. The templates are those
in TRL's package. Prints JSON: for each trainer and template the rows, what is trained of a row and
how often, rows that differ, and the losses."""

import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import tokenizers
from tokens import QWEN
from tokenizers import models, pre_tokenizers, trainers

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGES = {"trl": "trl==1.16.0", "verl": "verl==0.9.1", "llamafactory": "llamafactory==0.9.5",
            "axolotl": "axolotl==0.19.0", "swift": "ms-swift==4.6.0"}
# What verl imports for its loss, and does not ask for.
MORE = {"verl": ["uvicorn", "fastapi"]}
# Builds for CUDA's torch, which these import if they find them. No row has sounds or pictures.
UNUSABLE = {"llamafactory": ["torchvision", "torchaudio"]}
# TRL opens a dataset's own rows too: it takes "prompt" and "completion" before "messages".
FORMATS = {"trl": ["trl", "jsonl", "trl-rl"], "verl": ["verl", "verl-rl"]}
MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"]
# The models' own templates, as TRL's package has them.
TEMPLATES = {"qwen2.5": "qwen2_5.jinja", "qwen3": "qwen3.jinja"}
EMPTY_THOUGHT = "<think>\n\n</think>\n\n"
END = re.compile(r"<\|im_end\|>\n?\Z")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_tokenizer(folder, chat_template, texts):
    """A tokenizer that is trained on the rows, as a folder that `transformers` and ms-swift open."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(tokenizers.Regex(QWEN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=4000, show_progress=False, special_tokens=MARKS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>", "chat_template": chat_template,
        "clean_up_tokenization_spaces": False, "model_max_length": 1 << 20}))
    (folder / "config.json").write_text(json.dumps({
        "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 8,
        "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "head_dim": 8,
        "num_key_value_heads": 1, "vocab_size": tokenizer.get_vocab_size()}))
    return tokenizer


def parts_of(row):
    """The reasoning of a row's answer, or "", and the rest of it."""
    answer = row["messages"][-1]["content"]
    code = re.search(r"(?:\A|\n)(`{3,})python\n(?:(?!\1\n).*\n)*\1\n\Z", answer)
    if row["reasoning"] == "none" or not code:
        return "", answer
    at = code.start(1)
    return answer[:at].rstrip("\n"), answer[at:]


def trained_forms(row, trainer, written, template):
    """What a trainer may train of a row before the end token: {text: how it is called}."""
    reasoning, content = parts_of(row)
    whole = reasoning + "\n\n" + content if reasoning else content
    if written in ("verl", "jsonl"):  # Reasoning is part of the content.
        forms = {whole: "answer"}
    elif not reasoning:
        forms = {content: "answer"}
    elif trainer == "axolotl" and template == "qwen2.5":
        forms = {content: "answer without reasoning"}  # The template has no place for it.
    elif trainer == "axolotl":  # It looks for what the message itself says.
        forms = {f"{reasoning}\n</think>\n\n{content}": "reasoning without <think>, answer"}
    else:
        forms = {f"<think>\n{reasoning}\n</think>\n\n{content}": "reasoning, answer"}
    if template == "qwen3" and "<think>" not in min(forms):
        forms |= {EMPTY_THOUGHT + text: "empty <think>, " + name for text, name in forms.items()
                  if "reasoning" not in name}
    return forms


def differences(row, loaded, tokenizer, trainer, written, template):
    """What is trained of a loaded row, and what is wrong with it: "" if it trains the answer with
    its end token and nothing else."""
    ids, labels = loaded["input_ids"], loaded["labels"]
    if any(label not in (-100, token) for token, label in zip(ids, labels)):
        return "", "a label is not its token"
    trained = tokenizer.decode([label for label in labels if label != -100],
                               skip_special_tokens=False)
    if not END.search(trained):
        return "", f"it ends with {trained[-40:]!r} and no end token"
    trained = END.sub("", trained)
    forms = trained_forms(row, trainer, written, template)
    if trained not in forms:
        return "", f"it trains {trained[:200]!r}, not {min(forms)[:200]!r}"
    text = tokenizer.decode(ids, skip_special_tokens=False)
    for message in row["messages"][:-1]:
        if message["content"].strip() not in text:
            return "", f"its text lacks a message of the {message['role']}"
    if trainer == "swift" and abs(loaded["scale"] - row["weight"]) > 1e-6:
        return "", f"its scale is {loaded['scale']}, not {row['weight']}"
    return forms[trained], ""


def trained_steps(trainer, written, template, arguments, tokenizer_folder, expected, scratch):
    """The steps of the trainer's own loop, and whether they saw every row of the export."""
    command = [arguments.venvs / trainer / "bin/python", ROOT / "bench/peers/trainer_steps.py",
               trainer, scratch / written, tokenizer_folder, template, arguments.steps]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr[-2000:]}
    found = json.loads(done.stdout.splitlines()[-1])
    losses = found["losses"]
    good = (found["steps"] == len(losses) == arguments.steps and found["rows"] == expected
            and all(math.isfinite(loss) for loss in losses))
    return {"good": good, "steps": found["steps"], "rows": found["rows"],
            "losses": [round(loss, 3) for loss in losses[:1] + losses[-1:]]}


def compare(trainer, written, template, arguments, rows, scratch):
    tokenizer_folder = scratch / f"tokenizer-{trainer}-{written}-{template}"
    chat_template = next((arguments.venvs / "trl").glob(
        f"lib/python*/site-packages/trl/chat_templates/{TEMPLATES[template]}")).read_text()
    tokenizer = write_tokenizer(tokenizer_folder, chat_template,
                                [m["content"] for row in rows for m in row["messages"]])
    command = [arguments.venvs / trainer / "bin/python", ROOT / "bench/peers/trainer_rows.py",
               written.replace("-", "_") if written.endswith("-rl") else trainer, scratch / written,
               tokenizer_folder, template, arguments.rows]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr[-2000:]}
    loaded = [json.loads(line[4:]) for line in done.stdout.splitlines() if line.startswith("row {")]
    if written.endswith("-rl"):
        tasks = {row["task_id"] for row in rows}
        wrong = [item["task_id"][:12] for item in loaded
                 if item["task_id"] not in tasks or "class Model" not in item["task"]
                 or item["task"].strip() not in item["prompt"]]
        return {"rows": len({item["task_id"] for item in loaded}),
                "expected_rows": min(len(tasks), arguments.rows), "wrong": len(wrong),
                "first": wrong[:3]}
    if written != "jsonl":  # Exports for trainers leave out rows of weight 0.
        rows = [row for row in rows if row["weight"] > 0]
    every = len(rows)
    rows = rows[:arguments.rows]
    forms, wrong = collections.Counter(), []
    for row, item in zip(rows, loaded):
        form, what = differences(row, item, tokenizer, trainer, written, template)
        forms.update([form] if not what else [])
        wrong += [f"{row['content_id'][:12]} ({row['family']}): {what}"] if what else []
    found = {"rows": len(loaded), "expected_rows": len(rows), "wrong": len(wrong),
             "conversations": sum(row["n_turns"] > 1 for row in rows),
             "reasoned": sum(parts_of(row)[0] != "" for row in rows),
             "trained_tokens": sum(label != -100 for item in loaded for label in item["labels"]),
             "trained": dict(forms), "first": wrong[:3]}
    if arguments.steps and written != "jsonl":
        found["training"] = trained_steps(trainer, written, template, arguments, tokenizer_folder,
                                          every, scratch)
    return found


def install(venvs, trainer):
    venv = venvs / trainer
    if venv.exists():
        return
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin/pip", "install", "-q", "torch==2.13.0", PACKAGES[trainer],
                    *MORE.get(trainer, [])], check=True)
    if trainer in UNUSABLE:
        subprocess.run([venv / "bin/pip", "uninstall", "-q", "-y", *UNUSABLE[trainer]], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=pathlib.Path)
    parser.add_argument("trainers", nargs="*", default=list(PACKAGES))
    parser.add_argument("--venvs", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--binary", default=ROOT / "build/release/kernelmill")
    arguments = parser.parse_args()
    rows = lines_of(arguments.dataset / "data/train.jsonl")
    report, good = {}, True
    if arguments.install:
        install(arguments.venvs, "trl")  # It has the templates.
    with tempfile.TemporaryDirectory() as scratch:
        for trainer in arguments.trainers:
            if arguments.install:
                install(arguments.venvs, trainer)
            for written in FORMATS.get(trainer, [trainer]):
                subprocess.run([arguments.binary, "export", arguments.dataset, "--format", written,
                                "--output", f"{scratch}/{written}"], check=True,
                               capture_output=True)
                for template in TEMPLATES:
                    found = compare(trainer, written, template, arguments, rows,
                                    pathlib.Path(scratch))
                    good &= (found.get("rows") == found.get("expected_rows")
                             and not found.get("wrong", 1)
                             and found.get("training", {"good": True}).get("good", False))
                    name = f"{trainer} opens {written}, {template}"
                    report[name] = found
                    print(json.dumps({name: found}, indent=1), file=sys.stderr)
    print(json.dumps(report))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
