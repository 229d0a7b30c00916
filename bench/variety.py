"""Compares the uniformity of the prose that kernelmill writes with documentation that people wrote.

Takes the prose of a dataset's prompts and trained answers without fenced code, by family, and as
many bytes of docstrings from packages in .venv without examples, chosen by the hash of their text.
Computes three figures for each: the compression ratio with zstd (level 19, a window over
everything), distinct-4 (the share of 4-grams of words that occur for the first time), and the share
of texts that contain the most frequent sentence, ignoring names and numbers. Exits with 1 when our
prose compresses more than 1.5 times as well as the documentation, or when one template has more
than 8 % of the rows of a family that has enough templates."""

import argparse
import ast
import collections
import hashlib
import json
import pathlib
import re
import sys

import zstandard

GOAL = 1.5  # The largest ratio of our compression ratio to the documentation's.
PACKAGES = ("torch", "numpy", "pandas", "sympy", "networkx", "transformers", "datasets")
SMALLEST = 40  # Characters of prose; a shorter text is a label.

FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"[一-鿿]|\w+|[^\w\s]")
NAME = re.compile(r"`[^`]*`")
NUMBER = re.compile(r"\([\d, ]*\d,? ?\)|\d[\d,.]*\d|\d")
SENTENCE = re.compile(r"(?<=[.!?:;])\s+|(?<=[。！？；])|\n+")


def without_code(text):
    return re.sub(r"\n{3,}", "\n\n", FENCE.sub("", text)).strip()


def skeletons(text):
    """The sentences of the text without names and numbers."""
    for sentence in SENTENCE.split(text):
        open_ = NUMBER.sub("0", NAME.sub("`", sentence)).strip(" -*#|")
        if len(open_) >= 12:
            yield open_


def by_hash(texts):
    return sorted(set(texts), key=lambda text: hashlib.sha256(text.encode()).digest())


def ratio(texts):
    """The compression ratio of the texts, each on lines of its own."""
    data = "\n\n".join(texts).encode()
    parameters = zstandard.ZstdCompressionParameters.from_level(
        19, window_log=27, enable_ldm=True, source_size=len(data))
    return len(data) / len(zstandard.ZstdCompressor(compression_params=parameters).compress(data))


def distinct(texts, length=4):
    seen, total = set(), 0
    for text in texts:
        words = WORD.findall(text)
        for at in range(len(words) - length + 1):
            seen.add(tuple(words[at:at + length]))
            total += 1
    return len(seen) / max(total, 1)


def shared(texts):
    """(share, sentence): the most frequent sentence and the share of texts that contain it."""
    counts = collections.Counter()
    for text in texts:
        counts.update(set(skeletons(text)))
    if not counts:
        return 0, ""
    sentence, count = counts.most_common(1)[0]
    return count / len(texts), sentence


def prose_of_docstring(text):
    """The docstring without examples, their output, and the blocks after "::" and directives."""
    lines, block, example = [], None, False
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if block is not None and (not line.strip() or indent > block):
            continue
        block = None
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if example:
            continue
        if line.rstrip().endswith("::") or line.lstrip().startswith(".. "):
            block = indent
        else:
            lines.append(line.strip())
    return re.sub(r"\n{3,}", "\n\n", without_code("\n".join(lines))).strip()


def documentation(packages):
    """The prose of every docstring in the packages' sources."""
    place = pathlib.Path(zstandard.__file__).parents[1]
    for package in packages:
        for path in sorted((place / package).rglob("*.py")):
            try:
                tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
            except SyntaxError:  # The file is a template of generated code.
                continue
            for node in ast.walk(tree):
                if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                    text = prose_of_docstring(ast.get_docstring(node) or "")
                    if len(text) >= SMALLEST:
                        yield text
            # The docstrings of torch's operators are in calls: add_docstr(torch.abs, r"""…""").
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and "docstr" in ast.unparse(node.func):
                    for item in ast.walk(node):
                        if isinstance(item, ast.Constant) and isinstance(item.value, str):
                            text = prose_of_docstring(item.value)
                            if len(text) >= SMALLEST:
                                yield text


def taken(texts, size):
    """The first texts that together have so many bytes."""
    chosen = []
    for text in texts:
        if size <= 0:
            break
        chosen.append(text)
        size -= len(text.encode()) + 2
    return chosen


def rows_of(paths):
    for path in paths:
        files = sorted(path.glob("data/*.jsonl")) if path.is_dir() else [path]
        if not files:
            sys.exit(f"variety: no data/*.jsonl in {path}")
        for file in files:
            for line in file.open(encoding="utf-8"):
                yield json.loads(line)


class Prose:
    """The prose of some rows."""

    def __init__(self):
        self.prompts, self.answers, self.templates = [], [], collections.Counter()

    def add(self, row):
        messages = row["messages"]
        prompt = "\n\n".join(without_code(m["content"]) for m in messages if m["role"] == "user")
        answer = without_code(messages[-1]["content"])
        if len(prompt) >= SMALLEST:
            self.prompts.append(prompt)
        if len(answer) >= SMALLEST:
            self.answers.append(answer)
        self.templates[row["prompt_template"]] += 1

    def texts(self):
        return self.prompts + self.answers


def line(name, texts, documents):
    """Prints one line; returns our compression ratio divided by the documentation's."""
    size = sum(len(text.encode()) + 2 for text in texts)
    beside = taken(documents, size)
    got = sum(len(text.encode()) + 2 for text in beside)
    ours, theirs = ratio(texts), ratio(beside)
    share, sentence = shared(texts)
    note = "" if got >= size else f"  (of documentation only {got / 1000:.0f} kB)"
    print(f"{name:28}{len(texts):6}{size / 1000:8.0f}{ours:8.2f}{theirs:8.2f}{ours / theirs:8.2f}"
          f"{distinct(texts):8.3f}{distinct(beside):8.3f}{share:8.1%}  {sentence[:60]}{note}")
    return ours / theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", nargs="+", type=pathlib.Path,
                        help="a dataset's folder, or a file of rows as JSON lines")
    parser.add_argument("--packages", nargs="+", default=PACKAGES,
                        help="whose docstrings are the documentation")
    arguments = parser.parse_args()
    families = collections.defaultdict(Prose)
    for row in rows_of(arguments.dataset):
        families[row["family"]].add(row)
    documents = by_hash(documentation(arguments.packages))
    total = sum(len(text.encode()) for text in documents)
    print(f"documentation: {len(documents)} docstrings, {total / 1e6:.1f} MB, of "
          f"{', '.join(arguments.packages)}")
    print(f"{'':28}{'texts':>6}{'kB':>8}{'zstd':>8}{'docs':>8}{'times':>8}"
          f"{'dist-4':>8}{'docs':>8}{'shared':>8}  by the most frequent sentence")
    for family in sorted(families):
        for kind in ("prompts", "answers"):
            texts = by_hash(getattr(families[family], kind))
            if texts:
                line(f"{family} {kind}", texts, documents)
    everything = [families[family] for family in sorted(families)]
    line("prompts", by_hash(text for prose in everything for text in prose.prompts), documents)
    line("answers", by_hash(text for prose in everything for text in prose.answers), documents)
    times = line("together", by_hash(text for prose in everything for text in prose.texts()), documents)
    for family in sorted(families):
        templates = families[family].templates
        name, count = templates.most_common(1)[0]
        print(f"{family}: {len(templates)} templates, the most frequent {name} with "
              f"{count / templates.total():.1%} of {templates.total()} rows")
    rows = sum((prose.templates for prose in everything), collections.Counter())
    name, count = rows.most_common(1)[0]
    print(f"of all {rows.total()} rows {count / rows.total():.1%} have {name}")
    print(f"our prose compresses {times:.2f} times as well as documentation (goal: at most {GOAL})")
    sys.exit(times > GOAL)


if __name__ == "__main__":
    main()
