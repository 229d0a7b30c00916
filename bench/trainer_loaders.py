"""Loads exports of a dataset with the trainers' own code and compares what they would train with
what the dataset says, under two chat templates: one with plain turns, and one that treats <think>
as Qwen3's does.

    python bench/trainer_loaders.py DATASET --venvs FOLDER [--rows 200] [--install] [TRAINER…]

Each trainer runs in FOLDER/TRAINER; --install makes it with pip, from PyPI. Prints JSON: for each
trainer and template the rows, the trained tokens, and rows that differ."""

import argparse
import json
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
# TRL opens a dataset's own rows too: it takes "prompt" and "completion" before "messages".
FORMATS = {"trl": ["trl", "jsonl", "trl-rl"], "verl": ["verl", "verl-rl"]}
MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"]
TURN = "'<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n'"
GENERATION = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}"
TEMPLATES = {
    "chatml": "{% for message in messages %}{% set content = message.content %}{{ " + TURN +
              " }}{% endfor %}" + GENERATION + "{% endif %}",
    # Only the last answer has a <think> block, which may be empty, and only after a question.
    "thinking": "{% for message in messages %}{% set content = message.content %}"
                "{% set thought = message.reasoning_content or '' %}"
                "{% if message.role == 'assistant' %}{% if '</think>' in content %}"
                "{% set thought = content.split('</think>')[0].split('<think>')[-1].strip('\\n') %}"
                "{% set content = content.split('</think>')[-1].lstrip('\\n') %}{% endif %}"
                "{% if loop.last and not loop.first %}{% set content = '<think>\\n' + thought + "
                "'\\n</think>\\n\\n' + content %}{% endif %}{% endif %}{{ " + TURN +
                " }}{% endfor %}" + GENERATION +
                "{% if enable_thinking is defined and not enable_thinking %}"
                "{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}{% endif %}",
}
EMPTY_THOUGHT = "<think>\n\n</think>\n\n"


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_tokenizer(folder, template, texts):
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
        "pad_token": "<|endoftext|>", "chat_template": TEMPLATES[template],
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


def differences(row, loaded, tokenizer, trainer, written, template):
    """What is wrong with a loaded row: "" if it trains the answer and nothing else."""
    ids, labels = loaded["input_ids"], loaded["labels"]
    if any(label not in (-100, token) for token, label in zip(ids, labels)):
        return "a label is not its token"
    trained = tokenizer.decode([label for label in labels if label != -100],
                               skip_special_tokens=False)
    trained = re.sub(r"(<\|im_end\|>\n?)\Z", "", trained)
    reasoning, content = parts_of(row)
    expected = {reasoning + "\n\n" + content if reasoning else content}
    if written == "jsonl" and template == "thinking":
        expected |= {EMPTY_THOUGHT + text for text in expected}
    elif written not in ("verl", "jsonl") and (reasoning or template == "thinking"):
        thought = f"<think>\n{reasoning}\n</think>\n\n" + content
        # A thinking template writes an empty block; it is trained, or part of the prompt.
        expected = {thought} if reasoning else {content, EMPTY_THOUGHT + content}
    if trainer == "axolotl" and template == "chatml":
        expected = {content}  # The template has no place for reasoning_content.
    if trained not in expected and trained not in {text.rstrip("\n") for text in expected}:
        return f"it trains {trained[:200]!r}, not {min(expected)[:200]!r}"
    text = tokenizer.decode(ids, skip_special_tokens=False)
    for message in row["messages"][:-1]:
        if message["content"].strip() not in text:
            return f"its text lacks a message of the {message['role']}"
    if trainer == "swift" and abs(loaded["scale"] - row["weight"]) > 1e-6:
        return f"its scale is {loaded['scale']}, not {row['weight']}"
    return ""


def compare(trainer, written, template, arguments, rows, scratch):
    tokenizer_folder = scratch / f"tokenizer-{trainer}-{written}-{template}"
    tokenizer = write_tokenizer(tokenizer_folder, template,
                                [m["content"] for row in rows for m in row["messages"]])
    command = [arguments.venvs / trainer / "bin/python", ROOT / "bench/peers/trainer_rows.py",
               written.replace("-", "_") if written.endswith("-rl") else trainer, scratch / written,
               tokenizer_folder, template, arguments.rows]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr[-2000:]}
    loaded = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
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
    rows = rows[:arguments.rows]
    wrong = [f"{row['content_id'][:12]} ({row['family']}): {what}" for row, item in zip(rows, loaded)
             if (what := differences(row, item, tokenizer, trainer, written,
                                      template))]
    return {"rows": len(loaded), "expected_rows": len(rows), "wrong": len(wrong),
            "conversations": sum(row["n_turns"] > 1 for row in rows),
            "reasoned": sum(parts_of(row)[0] != "" for row in rows),
            "trained_tokens": sum(label != -100 for item in loaded for label in item["labels"]),
            "first": wrong[:3]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=pathlib.Path)
    parser.add_argument("trainers", nargs="*", default=list(PACKAGES))
    parser.add_argument("--venvs", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--binary", default=ROOT / "build/release/kernelmill")
    arguments = parser.parse_args()
    rows = lines_of(arguments.dataset / "data/train.jsonl")
    report, good = {}, True
    with tempfile.TemporaryDirectory() as scratch:
        for trainer in arguments.trainers:
            venv = arguments.venvs / trainer
            if arguments.install and not venv.exists():
                subprocess.run([sys.executable, "-m", "venv", venv], check=True)
                subprocess.run([venv / "bin/pip", "install", "-q", "torch==2.13.0",
                                PACKAGES[trainer]], check=True)
            for written in FORMATS.get(trainer, [trainer]):
                subprocess.run([arguments.binary, "export", arguments.dataset, "--format", written,
                                "--output", f"{scratch}/{written}"], check=True,
                               capture_output=True)
                for template in TEMPLATES:
                    found = compare(trainer, written, template, arguments, rows,
                                    pathlib.Path(scratch))
                    good &= (found.get("rows") == found.get("expected_rows")
                             and not found.get("wrong", 1))
                    name = f"{trainer} opens {written}, {template}"
                    report[name] = found
                    print(json.dumps({name: found}, indent=1), file=sys.stderr)
    print(json.dumps(report))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
