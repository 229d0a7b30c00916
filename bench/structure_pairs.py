#!/usr/bin/env python3
"""Draws pairs of public answers to one task, which a reader labels for bench/fingerprints.py.

    structure_pairs.py draw CHECKOUTS FOLDER [SEED]     FOLDER/pairs.tsv, without labels
    structure_pairs.py show CHECKOUTS FOLDER FROM TO    these pairs as the reader sees them

CHECKOUTS holds a clone of each repository of SOURCES as OWNER+NAME. Half of the pairs are ones that
the fingerprint joins, a quarter ones that it splits, and a quarter near misses: those that it splits
with the most lines in common. Of each kind a task gives one pair only. Which kind a pair is of
stands nowhere in the list, and its order is a lot too: labels are given without knowing what the
fingerprint finds.
"""

import ast
import collections
import csv
import difflib
import hashlib
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from labelled_answers import text_at
from loops import BUILD

LOOPS = BUILD / "bench/fingerprint_loops"
SOURCES = {
    "yenhao-huang/KernelBench": r"runs/.*/level_(\d+)/problem_(\d+)\.py|"
                                r"runs/.*/level_(\d+)_problem_(\d+)_sample_\d+_kernel\.py",
    "technoabsurdist/KernelBench": r"runs/.*level_?(\d+).*/(?:level_\d+_)?problem_(\d+)_.*kernel\.py",
    "hzeng2000/KernelBench": r"runs/.*_cuda_.*/level_(\d+)_problem_(\d+)_sample_\d+_kernel\.py",
    "Rhys-Wang-wannaLearnMath/KernelBench": r"preliminary_dataset/cuda_l1/.*/L(\d+)_T(\d+)_.*/optimized\.py",
    "pango0/KernelBench-Agentic": r".*/level_(\d+)_problem_(\d+)_sample_\d+_kernel\.py",
    "pavanyellow/KernelBenchFiltered": r"best_agent_solutions/level_(\d+)/task_(\d+)\.py",
}
COLUMNS = ["label", "why", "a", "a_repository", "a_path", "b", "b_repository", "b_path"]
# A reader has to see a whole answer at once: the most characters of its code without comments.
MOST_CHARACTERS = 4500
NEAR = 0.5  # From this share of common lines on, a pair is shown as its differences.
SHARES = {"joined": 100, "near": 50, "split": 50}
MOST_PAIRS_OF_A_TASK = 100  # Compared, by lot.
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
PREPARATION = re.compile(r"\s*(#include|using namespace|TORCH_CHECK|CHECK_\w+\(|C10_CUDA|AT_ASSERT)")


def git(checkout, *arguments):
    return subprocess.run(["git", "-C", checkout, *arguments], capture_output=True, text=True,
                          check=True, errors="replace").stdout


def digest_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


def plain(text):
    return text.replace("\r\n", "\n").rstrip() + "\n"


def shown(text):
    """What a reader gets of an answer: its native code without comments, and what forward() does."""
    tree = ast.parse(text)
    strings, forwards = [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{" in node.value:
            strings.append(node.value)
        if isinstance(node, ast.ClassDef):
            forwards += [part for part in node.body
                         if isinstance(part, ast.FunctionDef) and part.name == "forward"]
    lines = COMMENTS.sub("", "\n".join(strings)).split("\n")
    lines = [line.rstrip().replace("    ", " ") for line in lines
             if line.strip() and not PREPARATION.match(line)]
    for forward in forwards[-1:]:
        if ast.get_docstring(forward) and len(forward.body) > 1:
            forward.body = forward.body[1:]
        lines += ast.unparse(forward).replace("    ", " ").split("\n")
    return "\n".join(lines)


def answers_of(checkouts):
    """{(level, problem): [(digest, repository, path, text, shown)]}, every text once."""
    tasks, seen = collections.defaultdict(list), set()
    for name, pattern in SOURCES.items():
        checkout = checkouts / name.replace("/", "+")
        commit = git(checkout, "rev-parse", "HEAD").strip()
        for path in git(checkout, "ls-tree", "-r", "--name-only", "HEAD").splitlines():
            found = re.fullmatch(pattern, path)
            if not found:
                continue
            text = plain(git(checkout, "show", f"HEAD:{path}"))
            if "__global__" not in text or text in seen:
                continue
            seen.add(text)
            try:
                view = shown(text)
            except (SyntaxError, ValueError, RecursionError):
                continue
            if "__global__" in view and len(view) <= MOST_CHARACTERS:
                task = tuple(int(number) for number in found.groups() if number)
                tasks[task].append((digest_of(text)[:16], f"{name}@{commit[:12]}", path, text, view))
    return tasks


def clusters_of(answers):
    with tempfile.TemporaryDirectory() as folder:
        for digest, _, _, text, _ in answers:
            pathlib.Path(folder, f"{digest}.py").write_text(text, encoding="utf-8")
        files = sorted(pathlib.Path(folder).iterdir())
        done = subprocess.run([LOOPS, "files", *files], capture_output=True, text=True, check=True)
    return {pathlib.Path(line["file"]).stem: line["cluster"]
            for line in map(json.loads, done.stdout.splitlines())}


def common_lines(pair):
    one, other = (answer[4].split("\n") for answer in pair)
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def draw(checkouts, folder, seed="1"):
    def lot(*words):
        return digest_of(" ".join([seed, *words]))

    tasks = answers_of(checkouts)
    clusters = clusters_of([answer for answers in tasks.values() for answer in answers])
    counts, chosen = collections.Counter(), collections.defaultdict(dict)
    for task, answers in sorted(tasks.items()):
        pairs = sorted(itertools.combinations(sorted(answers), 2),
                       key=lambda pair: lot(pair[0][0], pair[1][0]))
        joined = [pair for pair in pairs if clusters[pair[0][0]] == clusters[pair[1][0]]]
        split = [pair for pair in pairs if clusters[pair[0][0]] != clusters[pair[1][0]]]
        counts.update(joined=len(joined), split=len(split))
        if joined:
            chosen["joined"][task] = joined[0]
        if split:
            chosen["split"][task] = split[0]
            chosen["near"][task] = max(split[1:MOST_PAIRS_OF_A_TASK], key=common_lines,
                                       default=split[0])
    rows = []
    for kind, pairs in sorted(chosen.items()):
        drawn = sorted(pairs.values(), key=lambda pair: lot("kind", pair[0][0], pair[1][0]))
        if kind == "near":
            drawn = sorted((pair for pair in drawn if pair not in rows), key=common_lines)[::-1]
            print(f"near misses have {common_lines(drawn[SHARES[kind] - 1]):.2f} of their lines in "
                  "common or more")
        rows += [pair for pair in drawn if pair not in rows][:SHARES[kind]]
    rows.sort(key=lambda pair: lot("order", pair[0][0], pair[1][0]))
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "pairs.tsv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(COLUMNS)
        for pair in rows:
            sides = [(digest_of(text), repository, path) for _, repository, path, text, _ in pair]
            writer.writerow(["", "", *sides[0], *sides[1]])
    print(f"{len(rows)} pairs of {sum(map(len, tasks.values()))} answers to {len(tasks)} tasks; in "
          f"all {counts['joined']} pairs are joined and {counts['split']} split; tasks with a pair: "
          + ", ".join(f"{kind} {len(pairs)}" for kind, pairs in sorted(chosen.items())))
    return 0


def show(checkouts, folder, first, last):
    with open(folder / "pairs.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for number in range(int(first), min(int(last), len(rows))):
        row = rows[number]
        a, b = (shown(text_at(checkouts, row[f"{one}_repository"], row[f"{one}_path"],
                              row[one])).split("\n") for one in "ab")
        print(f"######## {number}", *a, sep="\n")
        alike = difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()
        if alike < NEAR:
            print("======== with", *b, sep="\n")
        else:  # Near texts are read as their differences.
            print("======== with these changes",
                  *list(difflib.unified_diff(a, b, lineterm="", n=1))[2:], sep="\n")
    return 0


def main(words):
    if words[:1] == ["draw"] and len(words) in (3, 4):
        return draw(pathlib.Path(words[1]), pathlib.Path(words[2]), *words[3:])
    if words[:1] == ["show"] and len(words) == 5:
        return show(pathlib.Path(words[1]), pathlib.Path(words[2]), *words[3:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
