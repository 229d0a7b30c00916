"""Compares token counting with the `tokenizers` library, on one thread each, over the files of a
repository with a vocabulary of 32,000 trained on them and the pre-tokenizer of Qwen."""

import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import loops  # noqa: E402
import tokenizers  # noqa: E402
from tokenizers import models, pre_tokenizers, trainers  # noqa: E402

QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")
ROUNDS = 5


def train(texts):
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(tokenizers.Regex(QWEN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=32000, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def library(tokenizer, texts):
    start = time.perf_counter()
    tokens = sum(len(tokenizer.encode(text, add_special_tokens=False)) for text in texts)
    return {"seconds": time.perf_counter() - start, "tokens": tokens}


def texts_of(repository):
    """The Python files of the repository's HEAD."""
    archive = subprocess.run(["git", "-C", repository, "archive", "HEAD"], check=True,
                             capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        return [files.extractfile(member).read().decode("utf-8", "replace")
                for member in files if member.isfile() and member.name.endswith(".py")]


def main():
    repository = sys.argv[1] if len(sys.argv) > 1 else next(
        (loops.ROOT / ".cache/bench/repositories").glob("timm*"))
    texts = texts_of(repository)
    size = sum(len(text.encode()) for text in texts)
    with tempfile.TemporaryDirectory() as scratch:
        tokenizer_path, texts_path = pathlib.Path(scratch, "t.json"), pathlib.Path(scratch, "texts")
        trained = train(texts)
        trained.save(str(tokenizer_path))
        texts_path.write_text("".join(json.dumps(text) + "\n" for text in texts))
        program = loops.BUILD / "bench/token_loops"
        # A new one each round, because it caches the words that it has seen.
        seconds, last = loops.rounds(ROUNDS, {
            "ours": lambda: loops.run(program, tokenizer_path, texts_path),
            "library": lambda: library(tokenizers.Tokenizer.from_file(str(tokenizer_path)), texts)})
    if last["ours"]["tokens"] != last["library"]["tokens"]:
        raise SystemExit(f"the counts differ: {last}")
    print(f"{len(texts)} files, {size / 1e6:.1f} MB, {last['ours']['tokens']} tokens by either; "
          f"{size / 1e6 / seconds['ours']:.1f} MB/s ours, "
          f"{size / 1e6 / seconds['library']:.1f} MB/s the library")
    goals = loops.Goals()
    goals.at_least("speed of counting against the library", seconds["library"] / seconds["ours"], 1)
    return 1 if goals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
