#!/usr/bin/env python3
"""Compares verdicts at the tasks' own sizes with the labels that real GPUs gave public answers.

    labelled_answers.py pack CHECKOUTS FOLDER [PART [COUNT]]
    labelled_answers.py compare FOLDER/KIND …                  the table; 1 when a bound is missed

labelled_answers.tsv names each answer and its task by repository, commit, path and digest; no text
of others is kept here. CHECKOUTS holds a clone of each repository as OWNER+NAME. A KIND is a backend
and a policy, whose tolerance is the one that the label was made with: "cuda-kernelbench",
"cuda-kernelbench_2024" or "musa-kernelbench". Each pair becomes a problem of its own in
FOLDER/KIND/KernelBench, with its answer in FOLDER/KIND/run. PART: "tuned" for the answers by which the
judge was mended, "aside" for those that were never looked at; the two share no problem. COUNT: that
many pairs, by lot.

A race that is right on a GPU says what order that GPU took: with --sanitize race such verdicts are
counted apart, neither as agreed nor as differing.

A label is what KernelBench's evaluation said on the GPU: "correct", "wrong", or "crashed" for a
fault of the device. Left out are labels that say nothing of the answer: out of memory, faults of
the building machine, casts by the harness, TF32 in the reference.
"""

import collections
import csv
import hashlib
import json
import pathlib
import subprocess
import sys

POLICIES = {"0.0001": "kernelbench", "0.01": "kernelbench_2024"}
LABELS = pathlib.Path(__file__).with_name("labelled_answers.tsv")
UNDECIDED = {"unsupported", "undecided", "reference_failed", "infra"}
# In shares of 1: of the decided, of the decided, of all that are supported.
AGREEMENT, WRONGLY_ACCEPTED, DECIDED = 0.985, 0.005, 0.95


def text_at(checkouts, repository, path, digest):
    """The text, or None if a clone lacks it or holds another."""
    name, commit = repository.split("@")
    done = subprocess.run(["git", "-C", checkouts / name.replace("/", "+"), "show",
                           f"{commit}:{path}"], capture_output=True, check=False)
    text = done.stdout.decode(errors="replace").replace("\r\n", "\n").rstrip() + "\n"
    found = hashlib.sha256(text.encode()).hexdigest().startswith(digest)
    return text if done.returncode == 0 and found else None


def rows_of(part, count):
    with open(LABELS, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if part in ("", row["part"])]
    # Digests are a lot of their own.
    return sorted(rows, key=lambda row: (row["answer"], row["task"]))[:count]


def pack(checkouts, folder, part="", count=None):
    missing, packed = 0, collections.defaultdict(dict)
    for row in rows_of(part, None if count is None else int(count)):
        answer = text_at(checkouts, row["answer_repository"], row["answer_path"], row["answer"])
        task = text_at(checkouts, row["task_repository"], row["task_path"], row["task"])
        if answer is None or task is None:
            missing += 1
            continue
        backend = "musa" if row["gpu"].startswith("MTT") else "cuda"
        kind = f"{backend}-{POLICIES[row['tolerance']]}"
        number = len(packed[kind]) + 1
        tasks, run = folder / kind / "KernelBench/level1", folder / kind / "run"
        for one in (tasks, run):
            one.mkdir(parents=True, exist_ok=True)
        key = f"level_1_problem_{number}_sample_0"
        (tasks / f"{number}_task.py").write_text(task, encoding="utf-8")
        (run / f"{key}_kernel.py").write_text(answer, encoding="utf-8")
        packed[kind][key] = row
    for kind, rows in packed.items():
        (folder / kind / "labels.json").write_text(json.dumps(rows), encoding="utf-8")
        print(f"{folder / kind}: {len(rows)} answers")
    if missing:
        print(f"{missing} left out: {checkouts} does not hold their texts", file=sys.stderr)
    return 0 if packed else 1


def judged(folder):
    """(key, verdict, row of the table) for every answer of a folder."""
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    for line in (folder / "run/verdicts.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        key = f"{folder.name}/{record['key']}"
        yield key, record["verdict"], labels[record["key"]]


def compare(folders):
    table, apart = collections.Counter(), []
    for key, verdict, row in (one for folder in folders for one in judged(folder)):
        right = row["label"] == "correct"
        ours = verdict["status"]
        kind = ours if ours in UNDECIDED or ours == "correct" else "refused"
        if right and ours == "race":
            kind = "race"
        table["correct" if right else "not correct", kind] += 1
        if ours in UNDECIDED or (ours == "correct") != right:
            apart.append((key, row["label"], row["gpu"], row["tolerance"], ours,
                          verdict["reason"], verdict["detail"].split("\n")[0][:100]))
    for one in sorted(apart, key=lambda one: one[4]):
        print(*one, sep=" | ")
    for (label, kind), number in sorted(table.items()):
        print(f"{label} on the GPU, {kind} here: {number}")
    supported = table.total() - table["correct", "unsupported"] - table["not correct", "unsupported"]
    decided = sum(number for (_, kind), number in table.items() if kind not in UNDECIDED)
    agreed = table["correct", "correct"] + table["not correct", "refused"]
    races = table["correct", "race"]
    accepted = table["not correct", "correct"]
    if not decided:
        print("none is decided")
        return 1
    print(f"{decided} of {supported} decided ({100 * decided / supported:.1f} %), "
          f"{races} of them races that are right on a GPU; of the others "
          f"{agreed} as on the GPU ({100 * agreed / (decided - races):.1f} %), "
          f"{accepted} wrongly accepted ({100 * accepted / decided:.1f} %)")
    return 0 if (agreed >= AGREEMENT * (decided - races) and accepted <= WRONGLY_ACCEPTED * decided
                 and decided >= DECIDED * supported) else 1


def main(words):
    if len(words) in (3, 4, 5) and words[0] == "pack":
        return pack(pathlib.Path(words[1]), pathlib.Path(words[2]), *words[3:])
    if len(words) > 1 and words[0] == "compare":
        return compare([pathlib.Path(word) for word in words[1:]])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
