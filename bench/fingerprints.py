#!/usr/bin/env python3
"""Judges structural fingerprints and the selection by labels that they never see.

    bench/run fingerprints strategies [TASKS [SEED]]   default 120 tasks, seed 3
    bench/run fingerprints pairs CHECKOUTS             pairs of public answers, labelled by hand

"strategies" draws tasks for which kernelmill has eight or more strategies, and writes every answer
four times in other words (tests/generators/fingerprints/equivalent_answer.h). Half of the tasks, by
lot, were never looked at while the fingerprint was written. Purity is the share of samples whose
label is the most frequent one of their cluster; completeness is the share of samples that lie in
the cluster where most samples of their label lie. The selection gets hard tasks with samples as
unequal as those of models (the r-th strategy has a share that falls with 1/r) and takes fewer than
there are strategies; random choices of the same number are the mean of 100 draws.

"pairs" reads structure_pairs.tsv: two answers to one task, by repository, commit, path and SHA-256,
whether a reader finds that they have the same structure, and why. Pairs were drawn by
structure_pairs.py and labelled before anybody saw what the fingerprint finds. Precision is the share
of the pairs in one cluster that the reader calls the same; recall is the share of those that are in
one cluster. CHECKOUTS holds a clone of each repository as OWNER+NAME. No text of others is kept here.
"""

import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from labelled_answers import text_at
from loops import BUILD, Goals, run

LOOPS = BUILD / "bench/fingerprint_loops"
PAIRS = pathlib.Path(__file__).with_name("structure_pairs.tsv")
COPIES = 4
PURITY, COMPLETENESS, COVERAGE, AGREEMENT = 0.95, 0.9, 1.5, 0.85


def strategies(tasks, seed):
    result = run(LOOPS, "strategies", tasks, seed, COPIES)
    goals = Goals()
    for half, figures in sorted(result["halves"].items()):
        print(f"{half}: {figures['tasks']} tasks, {figures['labels']} strategies, "
              f"{figures['clusters']} clusters, {figures['samples']} samples")
        goals.at_least("  purity", figures["purity"], PURITY)
        goals.at_least("  completeness", figures["completeness"], COMPLETENESS)
        print(f"  selection from {figures['pools']} pools with {figures['pool_labels']} strategies: "
              f"{figures['selected']} samples cover {figures['covered']} strategies, random choices "
              f"{figures['random']:.1f}")
        goals.at_least("  times as many as random choices", figures["covered"] / figures["random"],
                       COVERAGE)
    goals.at_most("rewritten answers that left their cluster", result["rewritten_apart"], 0)
    print(f"{1000 * result['seconds'] / result['fingerprints']:.1f} ms of processor time a fingerprint")
    return goals.failed


def pairs(checkouts):
    with open(PAIRS, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    table, missing, apart = collections.Counter(), 0, []
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for row in rows:
            for one in "ab":
                digest = row[one]
                if digest in files:
                    continue
                text = text_at(checkouts, row[f"{one}_repository"], row[f"{one}_path"], digest)
                files[digest] = None
                if text is not None:
                    files[digest] = pathlib.Path(folder, f"{digest}.py")
                    files[digest].write_text(text, encoding="utf-8")
        there = [file for file in files.values() if file is not None]
        if not there:
            sys.exit(f"{checkouts} holds none of the answers")
        done = subprocess.run([LOOPS, "files", *there], capture_output=True, text=True, check=True)
        found = {pathlib.Path(line["file"]).stem: line
                 for line in map(json.loads, done.stdout.splitlines())}
    for row in rows:
        if files[row["a"]] is None or files[row["b"]] is None:
            missing += 1
            continue
        a, b = found[row["a"]], found[row["b"]]
        ours = "same" if a["cluster"] == b["cluster"] else "different"
        table[row["label"], ours] += 1
        if ours != row["label"]:
            apart.append((row["label"], row["why"], row["a"][:16], a["text"], row["b"][:16],
                          b["text"]))
    for one in sorted(apart):
        print(*one, sep=" | ")
    for (label, ours), number in sorted(table.items()):
        print(f"{label} to a reader, {ours} by the fingerprint: {number}")
    if missing:
        print(f"{missing} pairs left out: {checkouts} does not hold their texts", file=sys.stderr)
    goals = Goals()
    both = table["same", "same"]
    agreed = both + table["different", "different"]
    print(f"precision: {both / (both + table['different', 'same']):.2f}")
    print(f"recall: {both / (both + table['same', 'different']):.2f}")
    goals.at_least("agreement", agreed / table.total(), AGREEMENT)
    return goals.failed


def main(words):
    if words[:1] == ["pairs"] and len(words) == 2:
        return pairs(pathlib.Path(words[1])) != 0
    if words[:1] == ["strategies"] and len(words) <= 3:
        return strategies(*(words[1:] + ["120", "3"][len(words) - 1:])) != 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
