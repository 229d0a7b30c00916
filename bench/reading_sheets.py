"""Draws rows of a dataset and writes them as sheets for readers."""

import collections
import csv
import json
import pathlib
import random
import shutil

import reading_pairs

RUBRIC = pathlib.Path(__file__).resolve().parent / "reading_rubric.md"
SCORES = ("correct", "useful", "language", "variety", "code")


def rows_of(dataset):
    """The rows that a trainer gets: exports leave training rows of weight 0 out."""
    paths = sorted((dataset / "data").glob("*.jsonl"))
    if not paths:
        raise ValueError(f"{dataset}/data has no .jsonl: write it with `kernelmill export`")
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    return [row for row in rows if row["weight"] > 0 or row["split"] != "train"]


def task_of(row):
    return row["task_id"] or row["content_id"]


def rows_of_family(rows, draw):
    """The rows of one family in the order in which they are drawn: one of each task first, of each
    backend in turn. Another row of a task says much the same in this family, and not in another."""
    waiting = collections.defaultdict(list)  # By backend.
    for row in draw.sample(rows, len(rows)):
        waiting[row["backend"]].append(row)
    order, seen = [], set()
    while any(waiting.values()):
        for backend in draw.sample(sorted(waiting), len(waiting)):
            fresh = [row for row in waiting[backend] if task_of(row) not in seen]
            waiting[backend] = fresh
            if fresh:
                seen.add(task_of(fresh[0]))
                order.append(fresh[0])
    return order


def drawn_rows(rows, count, draw):
    """`count` rows, of every family equally many where its tasks allow it, in random order."""
    families = {family: rows_of_family([row for row in rows if row["family"] == family], draw)
                for family in sorted({row["family"] for row in rows})}
    drawn = []
    while any(families.values()) and len(drawn) < count:
        for family in draw.sample(sorted(families), len(families)):
            if families[family] and len(drawn) < count:
                drawn.append(families[family].pop(0))
    draw.shuffle(drawn)
    return drawn


def answer_of(row):
    return row["messages"][-1]["content"]


def sheet_text(number, row):
    """Every message as it stands in the row. Only the last one is trained."""
    parts = [f"# {number:02}\n"]
    for message in row["messages"][:-1]:
        parts.append(f"---------- question ({message['role']}) ----------\n")
        parts.append(f"{message['content']}\n")
    return "\n".join([*parts, "---------- answer ----------\n", answer_of(row)])


def write_form(path, sheets, pairs):
    columns = ["sheet", *SCORES, "defect", *(["preferred"] if pairs else [])]
    with path.open("w", encoding="utf-8", newline="") as file:
        form = csv.writer(file)
        form.writerow(columns)
        form.writerows([name] + [""] * (len(columns) - 1) for name in (*sheets, *pairs))


def draw(given):
    if given.out.exists() and any(given.out.iterdir()):
        raise ValueError(f"{given.out} is not empty")
    rows = rows_of(given.dataset)
    generator = random.Random(given.seed)
    chosen = drawn_rows(rows, given.rows, generator)
    given.out.mkdir(parents=True, exist_ok=True)
    sheets, pairs = {}, {}
    for number, row in enumerate(chosen, 1):
        name = f"sheet_{number:02}"
        (given.out / f"{name}.md").write_text(sheet_text(number, row), "utf-8")
        sheets[name] = {"row": row["content_id"], "family": row["family"],
                        "backend": row["backend"], "has_code": "```" in answer_of(row)}
    if given.pairs:
        shown = {row["content_id"] for row in chosen}
        others = [row for row in rows if row["content_id"] not in shown]
        for number, pair in enumerate(reading_pairs.drawn_pairs(others, given, generator), 1):
            pairs[f"pair_{number:02}"] = pair.key
            (given.out / f"pair_{number:02}.md").write_text(pair.text(number), "utf-8")
    shutil.copyfile(RUBRIC, given.out / "rubric.md")
    write_form(given.out / "answers.csv", sheets, pairs)
    (given.out / "key.json").write_text(json.dumps(
        {"seed": given.seed, "dataset": str(given.dataset), "sheets": sheets, "pairs": pairs},
        indent=1), "utf-8")
    report(sheets, pairs, given)
    return 0


def report(sheets, pairs, given):
    counts = collections.Counter((one["family"], one["backend"]) for one in sheets.values())
    for (family, backend), count in sorted(counts.items()):
        print(f"{family}, {backend}: {count}")
    print(f"{len(sheets)} sheets and {len(pairs)} pairs in {given.out}")
    if len(sheets) < given.rows:
        print(f"The dataset has too few tasks for {given.rows} sheets.")
    if given.pairs and len(pairs) < given.pair_count:
        print(f"Too few rows and texts are alike for {given.pair_count} pairs.")
